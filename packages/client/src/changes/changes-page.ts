import type { Changes } from '../types.ts'

/** A page of changes, and the cursor that it continues. */
export type ChangesPage = Changes & {
  /**
   * The cursor after which this page comes. Null: it is the first page of a start. Drop all that you hold of
   * these changes before you apply it.
   */
  after: string | null
}

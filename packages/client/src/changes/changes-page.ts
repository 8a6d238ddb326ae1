import type { Changes } from '../types.ts'

/** A page of changes, and the cursor that it continues. */
export type ChangesPage = Changes & {
  /**
   * The cursor that this page continues. Null: this is the first page of a start. Drop your copy of these
   * changes before you apply the page.
   */
  after: string | null
}

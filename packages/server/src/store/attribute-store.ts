import type { AttributeEntry } from '../domain/attributes/catalogue.ts'
import type { Note } from './audit-store.ts'

/** The catalogue of attributes of an organization, by name. */
export type Attributes = readonly AttributeEntry[]

export interface AttributeStore {
  list(organization: number): Promise<AttributeEntry[]>
  /**
   * Replaces the catalogue with the result of `change`, in one transaction. Names are unique in it. Calls for an
   * organization run one after the other, and `change` may run again. An error that it throws leaves everything as it was.
   * Reports no change if the result is the same. Null if the organization does not exist.
   */
  change(
    organization: number,
    change: (entries: Attributes) => Attributes,
    note?: Note<Attributes, Attributes>,
  ): Promise<Attributes | null>
}

import type { AuditEntry, NewAuditEntry } from '../../base/domain/audit-entry.ts'
import type { UsageCount } from '../../base/domain/credential.ts'
import type { Disclosure, DisclosureSource, DisclosureTotal } from '../../base/domain/disclosure.ts'

/** The store sets the id of an entry that it adds. An entry with an id gets new `changes`. */
export type NotedEntry = NewAuditEntry & { id?: number }

/**
 * Makes the audit entries of a write, which are stored in its transaction: both are there, or neither. It runs again
 * if the transaction does. `before`: the item as it was.
 */
export type Note<Result, Before = unknown> = (
  result: Result,
  before: Before,
) => readonly NotedEntry[] | null

/** The audit entries of an organization (null: of all), older than the entry `before`. */
export type AuditQuery = { organization: number | null; before: number | null; limit: number }

/**
 * The audit log: who changed what. Writes add entries by their `Note`. Entries outlive their organization.
 */
export interface AuditStore {
  add(entry: NewAuditEntry): Promise<void>
  /** The newest first. */
  list(query: AuditQuery): Promise<AuditEntry[]>
}

/** How often the API was used. Writes reach no watch. The counts are deleted with their organization. */
export interface UsageStore {
  /** The best number of counts for one `add`. More of them keep others waiting. */
  readonly addSize: number
  /**
   * Adds counts in one transaction. Any number of processes may call it at once. Counts of a deleted
   * organization are dropped.
   */
  add(counts: readonly UsageCount[]): Promise<void>
  /**
   * An organization's counts in a closed range of days, by day, key, operation and status, ascending. `key`: only those
   * of this key.
   */
  list(organization: number, from: number, to: number, key?: number): Promise<UsageCount[]>
  /** For every organization with requests on a day: their number by status. */
  byOrganization(day: number): Promise<Map<number, Map<number, number>>>
  /** Deletes the counts of the days before a day. */
  purge(before: number): Promise<void>
}

/** A closed range of days. Optional filters: a source, a reader, an object, and disclosees (0: counts without one). */
export type DisclosureQuery = {
  from: number
  to: number
  source?: DisclosureSource | undefined
  reader?: number | undefined
  object?: number | undefined
  disclosees?: readonly number[] | undefined
}

/** The fields by which the list is ordered, of one count. */
type DisclosurePlace = Omit<Disclosure, 'organization' | 'requests' | 'rows'>

/** The sums of a reader over objects and days. `last`: the last of the days. */
export type ReaderTotal = Pick<Disclosure, 'source' | 'reader' | 'requests' | 'rows'> & {
  last: number
}

/** How much answers showed of objects, by reader and day. Writes reach no watch. Deleted with the organization. */
export interface DisclosureStore {
  /** The best number of counts for one `add`. More of them keep others waiting. */
  readonly addSize: number
  /** As `UsageStore.add`. */
  add(counts: readonly Disclosure[]): Promise<void>
  /**
   * The first `limit` counts after another one (null: from the first), by day, source, reader, object, disclosee and data,
   * ascending.
   */
  list(
    organization: number,
    query: DisclosureQuery,
    after: DisclosurePlace | null,
    limit: number,
  ): Promise<Disclosure[]>
  /** The sums over the days, by source, reader, object, disclosee and data, ascending. */
  totals(organization: number, query: DisclosureQuery): Promise<DisclosureTotal[]>
  /** The sums of each reader in a closed range of days, by source and reader, ascending. */
  readers(organization: number, from: number, to: number): Promise<ReaderTotal[]>
  /** Deletes the counts of these organizations of the days before a day. */
  purge(organizations: ReadonlySet<number>, before: number): Promise<void>
}

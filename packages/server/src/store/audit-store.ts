import type { AuditEntry, NewAuditEntry } from '../domain/audit.ts'

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

import type { AuditEntry, NewAuditEntry } from '../domain/audit.ts'

/** The audit entries of an organization (null: of all), older than the entry `before`. */
export type AuditQuery = { organization: number | null; before: number | null; limit: number }

/**
 * The audit log: who changed what. Entries are only added, never changed, and outlive their organization.
 */
export interface AuditStore {
  add(entry: NewAuditEntry): Promise<void>
  /** The newest first. */
  list(query: AuditQuery): Promise<AuditEntry[]>
}

/** Who changed what, and when. Never holds a secret, nor the hash of one. */
export type AuditEntry = {
  id: number
  /** Milliseconds since the epoch. */
  at: number
  /** `console`, `token <name>` or `command line`. */
  actor: string
  /** What was done to what: `organization.update`, `key.revoke`. */
  action: string
  /** Whose it is; null where it is the deployment's. Stays when the organization is deleted. */
  organization: number | null
  /** What it was done to, where that has an id. */
  target: number | null
  /** What it was called then. */
  name: string | null
  /** By the documented name of a setting, what it was and what it became. */
  changes: Record<string, { from?: unknown; to?: unknown }> | null
}

export type NewAuditEntry = Omit<AuditEntry, 'id'>

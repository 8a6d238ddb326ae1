/** A line of the audit log: who changed what, and when. It never holds a secret or the hash of one. */
export type AuditEntry = {
  id: number
  /** Milliseconds since the epoch. */
  at: number
  /** `person <id> <name> <address>`, `token <id> <name>`, `command line`, or `console` before a sign-in. */
  actor: string
  /** The action: `organization.update`, `key.revoke`. */
  action: string
  /**
   * The organization's id; null if the action concerns the deployment. Stays when the organization is
   * deleted.
   */
  organization: number | null
  /** The id of the thing that was changed, if it has one. */
  target: number | null
  /** Its name at that time. */
  name: string | null
  /** Old and new values by the documented name of the setting. */
  changes: Record<string, { from?: unknown; to?: unknown }> | null
}

export type NewAuditEntry = Omit<AuditEntry, 'id'>

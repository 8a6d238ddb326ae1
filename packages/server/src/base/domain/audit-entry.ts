/** A line of the audit log: who changed what, and when. It never holds a secret or the hash of one. */
export type AuditEntry = {
  id: number
  /** Milliseconds since the epoch. */
  at: number
  /** `person <id> <name> <address>`, `token <id> <name>`, `command line`, or `console` before a sign-in. */
  actor: string
  /** The action: `organization.update`, `key.revoke`. */
  action: string
  /** The organization's id; null if the action concerns the deployment. Kept when the organization is deleted. */
  organization: number | null
  /** The id of the thing that was changed, if it has one. */
  target: number | null
  /** Its name at that time. */
  name: string | null
  /** Old and new values by the documented name of the setting. */
  changes: Record<string, { from?: unknown; to?: unknown }> | null
}

export type NewAuditEntry = Omit<AuditEntry, 'id'>

/** The things that the audit log covers, with the acts on each. An action is written as `key.revoke`. */
const ACTS = {
  organization: ['create', 'update', 'delete', 'archive'],
  object: ['create', 'update', 'delete', 'import', 'archive'],
  geofence: ['create', 'update', 'delete', 'import'],
  route: ['create', 'update', 'delete', 'import'],
  site: ['create', 'update', 'delete', 'import'],
  positions: ['import', 'recompute', 'delete'],
  mapping: ['update', 'delete'],
  attribute: ['create', 'update', 'delete'],
  attributes: ['update', 'forget', 'erase'],
  webhook: ['create', 'update', 'delete', 'rotate', 'credentials', 'test', 'redeliver'],
  key: ['issue', 'update', 'rotate', 'revoke'],
  feed_token: ['issue', 'rotate', 'revoke'],
  deployment_token: ['issue', 'rotate', 'revoke'],
  routing_rule: ['create', 'move', 'delete'],
  ident: ['assign', 'update', 'release', 'dismiss'],
  token: ['issue', 'revoke'],
  invitation: ['issue', 'revoke', 'accept'],
  reset: ['issue', 'revoke'],
  session: [
    ...(['issue', 'revoke', 'sign_in', 'sign_in_failed', 'sign_on_failed'] as const),
    'provider_end_failed',
  ],
  link: ['issue', 'rotate', 'revoke'],
  one_time_url: ['failed'],
  account: ['change_password_failed'],
  access: ['update'],
  person: [
    ...([
      'create',
      'update',
      'delete',
      'set_role',
      'link',
      'unlink',
      'reset',
      'set_password',
    ] as const),
    ...(['change_password', 'set_up_codes', 'end_codes', 'use_recovery_code'] as const),
    'end_sessions',
  ],
} as const

type Thing = keyof typeof ACTS
export type AuditAction = { [T in Thing]: `${T}.${(typeof ACTS)[T][number]}` }[Thing]

export const AUDIT_ACTIONS: readonly AuditAction[] = Object.entries(ACTS).flatMap(([thing, acts]) =>
  acts.map((act) => `${thing}.${act}` as AuditAction),
)

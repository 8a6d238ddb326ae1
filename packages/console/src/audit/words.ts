import { ITEM_NOUNS, schemaNameOf } from '../../../server/src/domain/items.ts'

/** Actions as a sentence's beginning: `organization.update` is `Organization: changed`. */
const THINGS: Record<string, string> = {
  positions: 'Positions',
  organization: 'Organization',
  key: 'API key',
  feed_token: 'Feed token',
  token: 'Token for scripts',
  webhook: 'Webhook',
  attribute: 'Attribute',
  attributes: 'Attributes',
  ...Object.fromEntries(Object.values(ITEM_NOUNS).map((noun) => [noun, schemaNameOf(noun)])),
  password: 'Password',
  person: 'Person',
  invitation: 'Invitation',
  access: 'Settings of access',
  link: 'One-time link',
  session: 'Session',
}

const DEEDS: Record<string, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  issue: 'issued',
  rotate: 'rotated',
  revoke: 'revoked',
  import: 'imported',
  recompute: 'recomputed',
  test: 'tested',
  redeliver: 'delivered again',
  change_password: 'changed the password',
  reset: 'link for another password',
  set_password: 'set another password',
  accept: 'accepted',
  set_role: 'role changed',
  link: 'linked to single sign-on',
  unlink: 'no longer linked to single sign-on',
  set_up_codes: 'set up codes',
  end_codes: 'ended codes',
  use_recovery_code: 'used a recovery code',
  end_sessions: 'ended sessions',
  set: 'set',
  change: 'changed',
  sign_in: 'signed in',
  sign_in_failed: 'failed sign-ins',
  failed: 'failed uses',
  change_password_failed: 'failed changes of the password',
  sign_out: 'signed out',
}

export function actionInWords(action: string): string {
  const [thing = '', deed = ''] = action.split('.')
  return `${THINGS[thing] ?? plain(thing)} ${DEEDS[deed] ?? plain(deed)}`.trim()
}

/** `daily_quota` is `daily quota`. */
export function plain(name: string): string {
  return name.replaceAll('_', ' ').replaceAll('.', ' · ')
}

/** Most values are settings. A value longer than a line is shown by its size. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length > 3 ? `${value.length} entries` : JSON.stringify(value)
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** Whether a value is an instant, and is to be shown in the viewer's zone. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
}

export type Change = { name: string; from: unknown; to: unknown; only: boolean }

/** `only` is there where it says a value and not what it was before. */
export function changesOf(changes: Record<string, unknown> | null): Change[] {
  return Object.entries(changes ?? {}).map(([name, value]) => {
    if (typeof value === 'object' && value !== null && ('from' in value || 'to' in value)) {
      const { from, to } = value as { from?: unknown; to?: unknown }
      return { name, from, to, only: !('from' in value) }
    }
    return { name, from: undefined, to: value, only: true }
  })
}

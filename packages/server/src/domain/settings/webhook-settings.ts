import { CHANGE_TYPES, CHANGES_FROM } from '../change-types.ts'
import { INCLUDED } from '../position/field-lists.ts'
import type { WebhookSettings } from '../webhook.ts'
import { choices, described, matching, objectIds, oneOf, optional, type Rules } from './rule.ts'

const MAX_URL = 2_000
const MAX_IDS = 1_000
const PATTERN = new RegExp(`^https://[^\\s#]{1,${MAX_URL - 'https://'.length}}$`)

export const WEBHOOK_DEFAULTS = { types: null, ids: null, include: null, from: 'snapshot' } as const

export const WEBHOOK_RULES: Rules<WebhookSettings> = {
  url: described(
    matching(
      `an https URL of at most ${MAX_URL} characters, without user, password and fragment`,
      isEndpoint,
      { pattern: PATTERN.source },
    ),
    { description: 'Where the server sends changes.', help: 'where to send' },
  ),
  types: described(optional(choices(CHANGE_TYPES, MAX_IDS)), {
    description: 'The chosen types of changes. Null: all.',
    help: `types of changes, with commas: ${CHANGE_TYPES.join(', ')}, or all`,
    none: 'all',
  }),
  ids: described(optional(objectIds(MAX_IDS)), {
    description: 'The chosen objects. Null: all.',
    help: 'ids of objects, with commas, or all',
    none: 'all',
  }),
  include: described(optional(choices(INCLUDED)), {
    description:
      'More fields of positions. `quality`: those of the fix. `exact`: the counters in millimetres and milliseconds. `attributes`: those of the catalogue, of states too. Null: none.',
    help: `more fields of positions, with commas: ${INCLUDED.join(', ')}, or none`,
    none: 'none',
  }),
  from: described(
    oneOf(CHANGES_FROM),
    'Where deliveries start, and where they start again after a resync.',
  ),
}

/** The settings in the form in which they are stored: lists have an order and no repetitions. */
export function inOrder<Settings extends Partial<WebhookSettings>>(settings: Settings): Settings {
  const { types, ids, include } = settings
  return {
    ...settings,
    ...(types && { types: CHANGE_TYPES.filter((type) => types.includes(type)) }),
    ...(include && { include: INCLUDED.filter((group) => include.includes(group)) }),
    ...(ids && { ids: [...new Set(ids)].sort((a, b) => a - b) }),
  }
}

function isEndpoint(value: string): boolean {
  const url = PATTERN.test(value) ? URL.parse(value) : null
  if (url === null) return false
  return url.username === '' && url.password === '' && url.hash === ''
}

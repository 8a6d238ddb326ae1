import { CHANGE_TYPES, CHANGES_FROM, type ChangesFrom, type ChangeType } from './items.ts'
import { INCLUDED, type Included } from './position/field-lists.ts'
import {
  choices,
  described,
  matching,
  objectIds,
  oneOf,
  optional,
  type Rules,
} from './setting-rule.ts'

/** The webhooks of an organization: each reads the whole log. */
export const MAX_WEBHOOKS = 10

/** The settings of an endpoint to which the server sends the changes of an organization. */
export type WebhookSettings = {
  url: string
  /** Null: all that the server derives. */
  types: readonly ChangeType[] | null
  /** The ids of the objects. Null: all. Ascending. */
  ids: readonly number[] | null
  /** The groups of fields that positions have in addition to those of the contract. Null: none. */
  include: readonly Included[] | null
  /** The start of the first delivery, and of deliveries after a resync. */
  from: ChangesFrom
}

export type Webhook = WebhookSettings & {
  id: number
  organization: number
  /** The sealed secret that signs deliveries. */
  secret: Uint8Array
  /** The sealed secret before the last rotation. It signs too, until `oldSecretUntil`. */
  oldSecret: Uint8Array | null
  oldSecretUntil: number | null
  /** Null: deliveries go out. */
  offAt: number | null
  offReason: OffReason | null
  /** Whether the next delivery is a resync, because the settings select other changes than before. */
  restarts: boolean
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** `failing`: all tries failed for `MAX_FAILING_MS`. */
type OffReason = 'operator' | 'failing'

/**
 * `changes`: a page of changes. `resync`: the receiver drops what it has, because the next page starts from scratch.
 * `test`: the operator asked for it, and it says nothing.
 */
export const DELIVERY_KINDS = ['changes', 'resync', 'test'] as const
type DeliveryKind = (typeof DELIVERY_KINDS)[number]

/** A message to an endpoint, with its last try. */
export type Delivery = NewDelivery & {
  /** Its number within the webhook, from 1. */
  number: number
  /** How often it was sent. */
  tries: number
  /** The last try, in milliseconds since the epoch. Null: none was made. */
  triedAt: number | null
  /** The status of the answer to the last try. Null: there was no answer. */
  status: number | null
  /** Why the last try failed. Null if it did not, or there was none. */
  failure: string | null
  durationMs: number | null
  /** The first try that was answered with 2xx. */
  deliveredAt: number | null
  /** The first of the tries that failed in a row. */
  failingSince: number | null
  /** When it is tried again. Null: at once, or never. */
  nextTryAt: number | null
  /** Whether to send it once, out of order: a test, or a delivery that is sent again. */
  isWanted: boolean
}

export type NewDelivery = {
  kind: DeliveryKind
  /** The header `webhook-id`, the same on every try. */
  message: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** The sealed cursor after the page. Null: the next page starts from scratch. */
  cursor: string | null
  /** The number of entries. */
  entries: number
  /** The compressed body. Null: it was too old to be kept. */
  body: Uint8Array | null
}

/** A delivery that failed for this long switches its webhook off. */
export const MAX_FAILING_MS = 3 * 86_400_000
/** The newest deliveries of a webhook that are kept. */
export const KEPT_DELIVERIES = 100

/** The next delivery, in order, that has not arrived. Null: make the next page. */
export function pendingOf(newest: Delivery | null): Delivery | null {
  return newest === null || newest.deliveredAt !== null ? null : newest
}

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
    help: `types of changes, separated by commas: ${CHANGE_TYPES.join(', ')}, or all`,
    none: 'all',
  }),
  ids: described(optional(objectIds(MAX_IDS)), {
    description: 'The chosen objects. Null: all.',
    help: 'ids of objects, separated by commas, or all',
    none: 'all',
  }),
  include: described(optional(choices(INCLUDED)), {
    description:
      'Additional fields of positions. `quality`: those of the fix. `exact`: the counters in millimeters and milliseconds. `attributes`: those of the catalogue, of states too. Null: none.',
    help: `additional fields of positions, separated by commas: ${INCLUDED.join(', ')}, or none`,
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

import { DISCLOSEE_RULES, type Disclosee } from './credential.ts'
import type { Disclosed } from './disclosure.ts'
import { GRANTS_RULE, type Grant } from './grant.ts'
import { CHANGE_TYPES, CHANGES_FROM, type ChangesFrom, type ChangeType } from './item-rules.ts'
import type { KeyScope } from './key-scope.ts'
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

/**
 * The form of deliveries. `changes`: signed pages of changes. The others are relays, which send positions as other
 * platforms receive them: `osmand` and `traccar` one request for each, `mqtt` one message.
 */
export const WEBHOOK_FORMS = ['changes', 'osmand', 'traccar', 'mqtt'] as const
export type WebhookForm = (typeof WEBHOOK_FORMS)[number]
export type RelayForm = Exclude<WebhookForm, 'changes'>

/** The settings of an endpoint to which the server sends the changes of an organization. */
export type WebhookSettings = Disclosee & {
  /** It never changes. */
  form: WebhookForm
  url: string
  /** Null: all that the server derives. */
  types: readonly ChangeType[] | null
  /** The part of the organization that deliveries may show, as keys have it. Null: everything. */
  grants: readonly Grant[] | null
  /** The ids of the objects, within the grants. Null: all. Ascending. */
  ids: readonly number[] | null
  /** The groups of fields that positions have in addition to those of the contract. Null: none. */
  include: readonly Included[] | null
  /** The start of the first delivery, and of deliveries after a resync. */
  from: ChangesFrom
}

export type Webhook = WebhookSettings & {
  id: number
  organization: number
  /** Id of the kept disclosee. 0: it has neither recipient nor purpose. */
  disclosee: number
  /**
   * Sealed: the secret that signs deliveries, or the credentials of a relay. Null: a relay without credentials, or a webhook
   * from an archive, which is off.
   */
  secret: Uint8Array | null
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
  /** The status of the last answer, or its MQTT reason code. Null: there was no answer. */
  status: number | null
  /** Why the last try failed. Null if it did not, or there was none. */
  failure: string | null
  durationMs: number | null
  /** How many of its entries arrived, the first ones. The next try continues after them. */
  arrived: number
  /** The first try whose entries all arrived. */
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
  /** The objects that it shows, with their rows. Null: none. */
  disclosed: Disclosed | null
  /** The compressed body: the message itself, or the positions of a relay as JSON. Null: it was too old to be kept. */
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
const PATTERN = new RegExp(`^(?:https?|mqtts?)://[^\\s#]{1,${MAX_URL - 'https://'.length}}$`)

export const WEBHOOK_DEFAULTS = {
  form: 'changes',
  types: null,
  grants: null,
  ids: null,
  include: null,
  from: 'snapshot',
  recipient: null,
  purpose: null,
} as const

export const WEBHOOK_RULES: Rules<WebhookSettings> = {
  form: described(oneOf(WEBHOOK_FORMS), {
    description:
      'The form of deliveries. `changes`: signed pages of changes. `osmand`, `traccar` and `mqtt`: a relay, which sends each position as other platforms receive it.',
  }),
  url: described(
    matching(
      `an https or mqtts URL of at most ${MAX_URL} characters, without user, password and fragment`,
      isEndpoint,
      { pattern: PATTERN.source },
    ),
    {
      description:
        'Where the server sends. https; for the form `mqtt`, mqtts. A relay may also use http or mqtt within the networks that the operator allows.',
      help: 'where to send',
    },
  ),
  types: described(optional(choices(CHANGE_TYPES, MAX_IDS)), {
    description: 'The chosen types of changes. Null: all.',
    help: `types of changes, separated by commas: ${CHANGE_TYPES.join(', ')}, or all`,
    none: 'all',
  }),
  grants: described(optional(GRANTS_RULE), {
    description:
      'The objects, times and attributes that deliveries may show, as for an API key. Null: everything.',
  }),
  ids: described(optional(objectIds(MAX_IDS)), {
    description: 'The chosen objects, out of the objects in the grants. Null: all.',
    help: 'ids of objects, separated by commas, or all',
    none: 'all',
  }),
  include: described(optional(choices(INCLUDED)), {
    description:
      'Additional fields of positions. `quality`: fields about the fix. `exact`: the counters in millimeters and milliseconds. `attributes`: the attributes of the catalogue, in states too. Null: none.',
    help: `additional fields of positions, separated by commas: ${INCLUDED.join(', ')}, or none`,
    none: 'none',
  }),
  from: described(
    oneOf(CHANGES_FROM),
    'Where deliveries start, and where they start again after a resync.',
  ),
  ...DISCLOSEE_RULES,
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
  const { hostname, username, password, hash } = url
  return hostname !== '' && username === '' && password === '' && hash === ''
}

const scopes = new WeakMap<readonly Grant[], KeyScope>()

/** The scope of a webhook: the same for the same grants, because texts of scopes are kept. Null: it shows everything. */
export function scopeOf({ grants }: Pick<Webhook, 'grants'>): KeyScope | null {
  if (grants === null) return null
  const scope = scopes.get(grants) ?? { operations: null, grants, windowShare: null }
  scopes.set(grants, scope)
  return scope
}

/** The origin of a URL: its path may hold a secret. */
export function originOf(written: string): string {
  const { protocol, host } = new URL(written)
  return `${protocol}//${host}`
}

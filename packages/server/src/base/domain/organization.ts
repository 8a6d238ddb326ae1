import { KEYS_NEED } from './credential.ts'
import { RATE_WINDOW } from './limits.ts'
import {
  boolean,
  described,
  GAP_RULE,
  oneOf,
  optional,
  type Rules,
  TIME_ZONE_RULE,
  text,
  wholeNumber,
} from './setting-rule.ts'
import { DAY_MS, utcDay } from './time/time.ts'

/** Languages of messages, in the order of the documentation. English is the fallback. */
export const LANGUAGES = ['en', 'tr', 'de', 'es', 'fr', 'pt', 'ru', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export const DISTANCE_UNITS = ['km', 'mi'] as const
export type DistanceUnit = (typeof DISTANCE_UNITS)[number]

const SUBSCRIPTIONS = ['active', 'inactive', 'suspended'] as const
export type Subscription = (typeof SUBSCRIPTIONS)[number]

/** An organization owns a fleet and its keys. Everything else belongs to exactly one organization. */
export type Organization = {
  id: number
  name: string
  distanceUnit: DistanceUnit
  language: Language
  subscription: Subscription
  /** `INTEGRATION_API_DAILY`: charges for each object and UTC day. Null is unlimited. */
  dailyQuota: number | null
  /** How many requests its rate window admits, over all its keys. */
  windowRequests: number
  /** Whether the feed creates an object for an unknown ident. */
  createObjects: boolean
  /** How many objects it may have. Existing objects stay if the limit is lowered. */
  maxObjects: number
  /** How many geofences, routes and sites it may have together, and how many vertices in them. */
  maxPlaces: number
  maxVertices: number
  /** Days after which a position is hidden and deleted. Null keeps all. */
  retentionDays: number | null
  /** UTC days for which disclosures are kept. Null keeps all. */
  disclosureDays: number | null
  /** Hours without a packet after which an object has no signal, and its motion is no longer shown. */
  signalTimeoutHours: number
  /** The IANA time zone of its days. */
  timeZone: string
  /** Minutes. A longer time between two believed positions is a silence, unless the object has a setting of its own. */
  maximumGap: number
  /** Minutes by which the time of a fix may be ahead. */
  futureTolerance: number
  /** Days. An older fix of a device that reports now is the error of a clock. Imports accept positions of any age. */
  maximumAge: number
  /** Whether an older fix is moved by one or two rollovers of the week number of GPS. */
  correctRollover: boolean
  /** Whether each API key that opens its data needs a recipient and a purpose. */
  keysNeedPurpose: boolean
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** Whether the settings of both show a state alike, in answers of the API and in the console. */
export function showsTheSame(one: Organization, other: Organization): boolean {
  return (
    one.distanceUnit === other.distanceUnit && one.signalTimeoutHours === other.signalTimeoutHours
  )
}

export type OrganizationSettings = Omit<Organization, 'id' | 'createdAt' | 'updatedAt'>

export const ORGANIZATION_DEFAULTS: Omit<OrganizationSettings, 'name'> = {
  distanceUnit: 'km',
  language: 'en',
  subscription: 'active',
  dailyQuota: null,
  windowRequests: RATE_WINDOW.requests,
  createObjects: false,
  maxObjects: 10_000,
  maxPlaces: 10_000,
  maxVertices: 1_000_000,
  retentionDays: null,
  disclosureDays: 400,
  signalTimeoutHours: 24,
  timeZone: 'UTC',
  maximumGap: 60,
  futureTolerance: 10,
  maximumAge: 365,
  correctRollover: false,
  keysNeedPurpose: false,
}

/**
 * The settings that an organization may change itself, by a token of its own. Every other setting limits it, and is the
 * operator's alone.
 */
export const OWN_SETTINGS: readonly (keyof OrganizationSettings)[] = [
  'name',
  'distanceUnit',
  'language',
  'createObjects',
  'signalTimeoutHours',
  'timeZone',
  'maximumGap',
  'futureTolerance',
  'maximumAge',
  'correctRollover',
  'keysNeedPurpose',
]

export const ORGANIZATION_RULES: Rules<OrganizationSettings> = {
  name: described(text(200), 'Its name.'),
  distanceUnit: described(oneOf(DISTANCE_UNITS), {
    description: 'Unit of odometer, mileage and speeds in its answers.',
    help: 'unit of odometer, mileage and speeds',
  }),
  language: described(oneOf(LANGUAGES), {
    description: 'Language of messages, unless a request asks for another.',
    help: 'language of messages',
  }),
  subscription: described(oneOf(SUBSCRIPTIONS), 'Whether it may use the position endpoints.'),
  dailyQuota: described(optional(wholeNumber(0)), {
    description: 'Charges per object and UTC day. Null: unlimited.',
    help: 'charges per object and day, or unlimited',
    none: 'unlimited',
  }),
  windowRequests: described(
    wholeNumber(1, RATE_WINDOW.maxRequests),
    `Requests in any ${RATE_WINDOW.seconds} seconds, over all its keys: ${RATE_WINDOW.requests} by default.`,
  ),
  createObjects: described(boolean, {
    description: 'Whether the feed creates an object for an unknown ident.',
    help: 'let the feed create objects for unknown idents, which it rejects by default',
  }),
  maxObjects: described(
    wholeNumber(0, 10_000_000),
    'How many objects it may have. Existing objects stay if the limit is lowered.',
  ),
  maxPlaces: described(
    wholeNumber(0, 1_000_000),
    'How many geofences, routes and sites it may have together. Existing places stay if the limit is lowered.',
  ),
  maxVertices: described(
    wholeNumber(0, 100_000_000),
    'How many vertices its geofences and routes may have together: positions of rings and lines, and waypoints. Existing places stay if the limit is lowered.',
  ),
  retentionDays: described(optional(wholeNumber(1, 36_500)), {
    description: 'Days for which positions are kept. Null: forever.',
    help: 'days for which positions are kept, or none to keep them forever',
    none: 'none',
  }),
  disclosureDays: described(optional(wholeNumber(30, 3_650)), {
    description:
      'Days for which the disclosure ledger keeps who read what: 400 by default. Null: forever.',
    help: 'days for which disclosures are kept, 400 by default, or none to keep them forever',
    none: 'none',
  }),
  signalTimeoutHours: described(
    wholeNumber(1, 8_760),
    'Hours without a packet after which an object has no signal: 24 by default.',
  ),
  timeZone: described(TIME_ZONE_RULE, {
    description: 'The IANA time zone of its days, unless a request names another: UTC by default.',
    help: 'time zone of its days, unless a request names another',
  }),
  maximumGap: described(GAP_RULE, {
    description:
      'Longest gap between two positions within a trip, in minutes: 60 by default. An object can have its own setting.',
    help: 'longest gap within a trip, in minutes',
  }),
  futureTolerance: described(wholeNumber(1, 1_440), {
    description:
      'Minutes by which the time of a position may be in the future: 10 by default. The server refuses a later position.',
    help: 'minutes by which the time of a position may be in the future',
  }),
  maximumAge: described(wholeNumber(1, 36_500), {
    description:
      'Days after which a position from the feed is refused, because the clock of its device must be wrong: 365 by default. Imports accept positions of any age.',
    help: 'days after which a position from the feed is refused',
  }),
  correctRollover: described(boolean, {
    description:
      'Whether an older position from the feed is moved by one or two rollovers of the week number of GPS (1,024 weeks), if it is not too old then.',
    help: 'correct the week number of GPS in positions from the feed that are too old, which it refuses by default',
  }),
  keysNeedPurpose: described(boolean, {
    description: `Whether ${KEYS_NEED}. A key without them, issued before, keeps working, and cannot be rotated.`,
    help: 'issue and rotate API keys only with a recipient and a purpose, which are optional by default',
  }),
}

/**
 * Hidden positions are deleted a day later, and no retention deletes within a day of a change of the settings of its
 * organization or object. So a history that has begun is not disturbed, and a mistyped number can be
 * corrected.
 */
const GRACE_MS = DAY_MS

/** The retention of an organization, or of an object. */
type Retention = Pick<Organization, 'retentionDays'>
type Settled = Pick<Organization, 'retentionDays' | 'updatedAt'>

function keptSince({ retentionDays }: Retention, now: number): number {
  return retentionDays === null ? 0 : Math.max(0, now - retentionDays * DAY_MS)
}

/** Whether a retention no longer shows a position. */
export function isExpired(retained: Retention, timeDevice: number, now: number): boolean {
  return timeDevice < keptSince(retained, now)
}

function deletableBefore(retained: Settled, now: number): number {
  if (now - retained.updatedAt < GRACE_MS) return 0
  return Math.max(0, keptSince(retained, now) - GRACE_MS)
}

/**
 * Positions of an object from this `time_device` on are shown: the shorter retention of both holds. Milliseconds since
 * the epoch. `object`: undefined for the first time at which any object shows positions, or if the object was made a moment
 * ago, and has no retention.
 */
export function shownFrom(
  organization: Retention,
  object: Retention | undefined,
  now: number,
): number {
  const ofAll = keptSince(organization, now)
  return object === undefined ? ofAll : Math.max(ofAll, keptSince(object, now))
}

/** `shownFrom` of each object of an organization, by id. */
export type ShownFrom = (object: number) => number

/** Objects of an organization by id. */
export type RetainedObjects = { get(id: number): { readonly object: Retention } | undefined }

export function shownFromIn(
  organization: Retention,
  objects: RetainedObjects,
  now: number,
): ShownFrom {
  return (id) => shownFrom(organization, objects.get(id)?.object, now)
}

/** Positions of an object before this `time_device` may be deleted; 0 if none may. */
export function purgeableBefore(organization: Settled, object: Settled, now: number): number {
  return Math.max(deletableBefore(organization, now), deletableBefore(object, now))
}

/** Disclosures of the UTC days before this one may be deleted; 0 if none may. */
export function disclosuresPurgeableBefore(
  { disclosureDays, updatedAt }: Pick<Organization, 'disclosureDays' | 'updatedAt'>,
  now: number,
): number {
  if (disclosureDays === null || now - updatedAt < GRACE_MS) return 0
  return Math.max(0, utcDay(now) - disclosureDays)
}

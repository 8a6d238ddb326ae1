import { RATE_WINDOW } from './limits.ts'

/** Languages of messages, in the order of the documentation. English is the fallback. */
export const LANGUAGES = ['en', 'tr', 'de', 'es', 'fr', 'pt', 'ru', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export const DISTANCE_UNITS = ['km', 'mi'] as const
export type DistanceUnit = (typeof DISTANCE_UNITS)[number]

export const SUBSCRIPTIONS = ['active', 'inactive', 'suspended'] as const
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
  /** Hours without a packet after which an object has no signal, and its motion is no longer shown. */
  signalTimeoutHours: number
  /** The IANA time zone of its days. */
  timeZone: string
  /** Minutes. A longer time between two believed positions is a silence, unless the object has a setting of its own. */
  maximumGap: number
  /** Minutes by which the time of a fix may be ahead. */
  futureTolerance: number
  /** Days. An older fix of a device that reports now is the error of a clock. Imports take any past. */
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
  signalTimeoutHours: 24,
  timeZone: 'UTC',
  maximumGap: 60,
  futureTolerance: 10,
  maximumAge: 365,
  correctRollover: false,
  keysNeedPurpose: false,
}

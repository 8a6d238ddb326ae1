/** Languages of messages, in the order of the documentation. English is the last resort. */
export const LANGUAGES = ['en', 'tr', 'de', 'es', 'fr', 'pt', 'ru', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export const DISTANCE_UNITS = ['km', 'mi'] as const
export type DistanceUnit = (typeof DISTANCE_UNITS)[number]

export const SUBSCRIPTIONS = ['active', 'inactive', 'suspended'] as const
export type Subscription = (typeof SUBSCRIPTIONS)[number]

/** Who owns a fleet and the keys to it. Everything else belongs to exactly one organization. */
export type Organization = {
  id: number
  name: string
  distanceUnit: DistanceUnit
  language: Language
  subscription: Subscription
  /** `INTEGRATION_API_DAILY`: charges per object and UTC day; null is unlimited. */
  dailyQuota: number | null
  /** Whether the feed makes an object for an ident that it does not know. */
  createObjects: boolean
  /** Days after which a position is shown no more and deleted; null keeps all. */
  retentionDays: number | null
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

export type OrganizationSettings = Pick<
  Organization,
  | 'name'
  | 'distanceUnit'
  | 'language'
  | 'subscription'
  | 'dailyQuota'
  | 'createObjects'
  | 'retentionDays'
>

export const ORGANIZATION_DEFAULTS: Omit<OrganizationSettings, 'name'> = {
  distanceUnit: 'km',
  language: 'en',
  subscription: 'active',
  dailyQuota: null,
  createObjects: false,
  retentionDays: null,
}

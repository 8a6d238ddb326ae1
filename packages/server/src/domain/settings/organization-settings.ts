import {
  DISTANCE_UNITS,
  LANGUAGES,
  type OrganizationSettings,
  SUBSCRIPTIONS,
} from '../organization.ts'
import { boolean, oneOf, optional, type Rules, text, wholeNumber } from './rule.ts'
import { TIME_ZONE_RULE } from './time-zone-rule.ts'

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
]

export const ORGANIZATION_RULES: Rules<OrganizationSettings> = {
  name: text(200),
  distanceUnit: oneOf(DISTANCE_UNITS),
  language: oneOf(LANGUAGES),
  subscription: oneOf(SUBSCRIPTIONS),
  dailyQuota: optional(wholeNumber(0)),
  createObjects: boolean,
  maxObjects: wholeNumber(0, 10_000_000),
  maxPlaces: wholeNumber(0, 1_000_000),
  maxVertices: wholeNumber(0, 100_000_000),
  retentionDays: optional(wholeNumber(1, 36_500)),
  signalTimeoutHours: wholeNumber(1, 8_760),
  timeZone: TIME_ZONE_RULE,
}

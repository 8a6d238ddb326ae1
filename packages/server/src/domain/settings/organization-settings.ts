import { RATE_WINDOW } from '../limits.ts'
import {
  DISTANCE_UNITS,
  LANGUAGES,
  type OrganizationSettings,
  SUBSCRIPTIONS,
} from '../organization.ts'
import { GAP_RULE } from './gap-rule.ts'
import { KEYS_NEED } from './grant-settings.ts'
import { boolean, described, oneOf, optional, type Rules, text, wholeNumber } from './rule.ts'
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
    `Requests in any ${RATE_WINDOW.seconds} seconds, over all its keys: ${RATE_WINDOW.requests} where it was not set.`,
  ),
  createObjects: described(boolean, {
    description: 'Whether the feed makes an object for an ident that it does not know.',
    help: 'let the feed make objects for unknown idents, which it rejects by default',
  }),
  maxObjects: described(
    wholeNumber(0, 10_000_000),
    'How many objects it may have. Objects that exist stay where the limit is lowered.',
  ),
  maxPlaces: described(
    wholeNumber(0, 1_000_000),
    'How many geofences, routes and sites it may have together. Places that exist stay where the limit is lowered.',
  ),
  maxVertices: described(
    wholeNumber(0, 100_000_000),
    'How many vertices its geofences and routes may have together: positions of rings and lines, and waypoints. Places that exist stay where the limit is lowered.',
  ),
  retentionDays: described(optional(wholeNumber(1, 36_500)), {
    description: 'Days for which positions are kept. Null: forever.',
    help: 'days for which positions are kept, or none to keep them forever',
    none: 'none',
  }),
  signalTimeoutHours: described(
    wholeNumber(1, 8_760),
    'Hours without a packet after which an object has no signal: 24 where it was not set.',
  ),
  timeZone: described(TIME_ZONE_RULE, {
    description:
      'The IANA time zone of its days, unless a request names another: UTC where it was not set.',
    help: 'time zone of its days, unless a request names another',
  }),
  maximumGap: described(GAP_RULE, {
    description:
      'Minutes between two positions of an object beyond which its silence is not driving, unless the object has a setting of its own: 60 where it was not set.',
    help: 'minutes beyond which silence between two positions is not driving',
  }),
  futureTolerance: described(wholeNumber(1, 1_440), {
    description:
      'Minutes by which the time of a position may be ahead: 10 where it was not set. One that is further ahead is refused.',
    help: 'minutes by which the time of a position may be ahead',
  }),
  maximumAge: described(wholeNumber(1, 36_500), {
    description:
      'Days: an older position from the feed is refused, because the clock of its device is wrong. 365 where it was not set. Imports take any past.',
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

import { FIX_LIMITS } from './position/fix.ts'
import {
  MAX_RANGES,
  MAX_WEEKLY,
  parseRanges,
  parseWeekly,
  RANGES_SAYS,
  WEEKLY_SAYS,
} from './private-hours.ts'
import {
  described,
  type Fault,
  firstFault,
  GAP_RULE,
  matching,
  number,
  oneOf,
  optional,
  type Rules,
  TIME_ZONE_RULE,
  text,
  wholeNumber,
} from './setting-rule.ts'

/** The source of a counter: calculated by the server, or read from the device. */
export const COUNTER_TYPES = ['sensor', 'system'] as const
type CounterType = (typeof COUNTER_TYPES)[number]

/** The source of an object's distance: its positions, or its device's own odometer. */
const DISTANCE_SOURCES = ['gps', 'odometer'] as const
/** How a stop is detected: by speed, or only by an ignition that is off. */
const STOP_DETECTION_METHODS = ['speed', 'ignition'] as const

/** Tracking accuracy and movement detection of one object. Speeds are always km/h here. */
export type Accuracy = {
  /** IANA zone name. */
  deviceTimezone: string
  maximumHdop: number
  /** Meters. Not among the settings that the public API shows. */
  maximumAccuracy: number
  /** Meters. The history hides a fix that is nearer than this to the last shown one. */
  minimumDifferencePoint: number
  minimumGpsLevel: number
  idleSpeedThreshold: number
  minimumMovingSpeed: number
  distanceSource: string
  stopDetectionMethod: string
  /** Minutes; see `Organization.maximumGap`. Null: that of the organization. */
  maximumGap: number | null
}

export const ACCURACY_DEFAULTS: Accuracy = {
  deviceTimezone: 'UTC',
  maximumHdop: 10,
  maximumAccuracy: 200,
  minimumDifferencePoint: 0,
  minimumGpsLevel: 0,
  idleSpeedThreshold: 3,
  minimumMovingSpeed: 5,
  distanceSource: 'gps',
  stopDetectionMethod: 'speed',
  maximumGap: null,
}

/** The settings of an object that an operator makes. Its `ObjectState` comes from its packets. */
export type ObjectSettings = {
  name: string
  /** The device's own id (an IMEI or similar), unique in its organization. */
  ident: string
  vin: string | null
  plateNumber: string | null
  engineHoursType: CounterType
  odometerType: CounterType
  /** Km added to the reading of a `sensor` odometer. */
  odometerOffset: number
  accuracy: Accuracy
  /** The weekly plan of its private hours; see `private-hours.ts`. Null: there is none. */
  privateHours: string | null
  /** Single ranges of private time. Null: there are none. */
  privateRanges: string | null
  /** The IANA time zone of both. Null: that of the organization. */
  privateTimeZone: string | null
  /** Days after which a position is hidden and deleted, if those of its organization are not fewer. Null: as the organization. */
  retentionDays: number | null
  /** Counters and address until a fix brings its own: hours, km, km. */
  engineHours: number | null
  odometer: number | null
  mileage: number | null
  address: string | null
}

export const OBJECT_DEFAULTS: Omit<ObjectSettings, 'name' | 'ident'> = {
  vin: null,
  plateNumber: null,
  engineHoursType: 'system',
  odometerType: 'system',
  odometerOffset: 0,
  accuracy: ACCURACY_DEFAULTS,
  privateHours: null,
  privateRanges: null,
  privateTimeZone: null,
  retentionDays: null,
  engineHours: null,
  odometer: null,
  mileage: null,
  address: null,
}

/** A tracked vehicle or asset. */
export type MonitoredObject = ObjectSettings & {
  id: number
  organization: number
  /** Milliseconds since the epoch. */
  createdAt: number
  updatedAt: number
}

/** An object as its positions are folded: with the settings that it takes from its organization. */
export function withOwnSettings(
  object: MonitoredObject,
  { maximumGap, timeZone }: { maximumGap: number; timeZone: string },
): MonitoredObject {
  const { accuracy, privateTimeZone } = object
  if (accuracy.maximumGap !== null && privateTimeZone !== null) return object
  return {
    ...object,
    accuracy: { ...accuracy, maximumGap: accuracy.maximumGap ?? maximumGap },
    privateTimeZone: privateTimeZone ?? timeZone,
  }
}

/** Speeds in km/h, distances in meters, as the documentation gives them. */
export const ACCURACY_RULES: Rules<Accuracy> = {
  deviceTimezone: described(TIME_ZONE_RULE, {
    description:
      'IANA name of the time zone in which times that the device sends without an offset are read.',
    help: 'time zone of the times that the device sends without an offset',
  }),
  maximumHdop: described(number(0, FIX_LIMITS.hdop), {
    description: 'Highest horizontal dilution of precision of a position that is accepted.',
    help: 'maximum horizontal dilution of precision',
  }),
  maximumAccuracy: described(number(0, FIX_LIMITS.accuracy, 'meters'), {
    description:
      'Largest accuracy in meters of a position that is accepted, as phones send it: 200 by default. The public API does not show it.',
    help: 'largest accuracy, which is an error in meters, of a position that is accepted',
  }),
  minimumDifferencePoint: described(number(0, 100_000, 'meters'), {
    description: 'Minimum distance in meters between two positions that are both accepted.',
    help: 'minimum distance between accepted points',
  }),
  minimumGpsLevel: described(number(0, FIX_LIMITS.gpsLevel), {
    description: 'Minimum GPS quality level of a position that is accepted.',
    help: 'minimum GPS quality level',
  }),
  idleSpeedThreshold: described(number(0, 1_000, 'km/h'), {
    description: 'Speed in km/h that separates idling from a stop.',
    help: 'speed above which an object is idle, if it is not moving and its ignition is unknown',
  }),
  minimumMovingSpeed: described(number(0, 1_000, 'km/h'), {
    description: 'Speed in km/h from which an object counts as moving.',
    help: 'minimum speed that is movement',
  }),
  distanceSource: described(oneOf(DISTANCE_SOURCES), {
    description: 'The source of distances.',
    help: 'source of distances',
  }),
  stopDetectionMethod: described(oneOf(STOP_DETECTION_METHODS), 'How stops are detected.'),
  maximumGap: described(optional(GAP_RULE), {
    description:
      'Longest gap between two positions within a trip, in minutes. Null: the setting of the organization.',
    help: 'longest gap within a trip, in minutes, or none to use the setting of the organization',
    none: 'none',
  }),
}

/** Counters in hours and km. Each field of `accuracy` is checked by the rules above. */
export const OBJECT_RULES: Rules<Omit<ObjectSettings, 'accuracy'>> = {
  name: described(text(200), 'Display name.'),
  ident: described(text(64), {
    description: 'The device’s own id, an IMEI or similar, unique in the organization.',
    help: "the device's own id, an IMEI or similar",
  }),
  vin: described(optional(text(64)), {
    description: 'Vehicle identification number.',
    label: 'VIN',
  }),
  plateNumber: described(optional(text(64)), 'Plate number.'),
  engineHoursType: described(oneOf(COUNTER_TYPES), {
    description: 'Where engine hours come from.',
    help: 'source of the engine hours',
  }),
  odometerType: described(oneOf(COUNTER_TYPES), {
    description: 'Where the odometer comes from.',
    help: 'source of the odometer',
  }),
  odometerOffset: described(number(-FIX_LIMITS.odometer, FIX_LIMITS.odometer, 'km'), {
    description:
      'The offset that is added to the odometer of a device’s sensor, in the distance unit of the organization.',
    help: "a distance that is added to the odometer of a device's sensor",
  }),
  privateHours: described(
    optional(
      matching(
        WEEKLY_SAYS,
        (value) => value.length <= MAX_WEEKLY && parseWeekly(value) !== undefined,
        { minLength: 1, maxLength: MAX_WEEKLY },
      ),
    ),
    {
      description:
        'The weekdays and times whose positions the server acknowledges and does not store, such as `Mo-Fr 18:00-08:00; Sa,Su`. Null: none. A change is for positions that come afterwards.',
      help: 'weekdays and times whose positions are not stored, such as "Mo-Fr 18:00-08:00; Sa,Su"',
    },
  ),
  privateRanges: described(
    optional(
      matching(
        RANGES_SAYS,
        (value) => value.length <= MAX_RANGES && parseRanges(value) !== undefined,
        { minLength: 1, maxLength: MAX_RANGES },
      ),
    ),
    {
      description:
        'Days and ranges whose positions the server acknowledges and does not store, such as `2026-12-24, 2026-12-29T12:00/2027-01-04T08:00`. Null: none.',
      help: 'days and ranges whose positions are not stored, such as "2026-12-24, 2026-12-29T12:00/2027-01-04T08:00"',
    },
  ),
  privateTimeZone: described(optional(TIME_ZONE_RULE), {
    description: 'The IANA time zone of the private hours. Null: the organization’s.',
    help: "time zone of the private hours; the organization's by default",
  }),
  retentionDays: described(optional(wholeNumber(1, 36_500)), {
    description:
      'Days for which its positions are kept, at most as many as the organization’s. If both have a number, the smaller one applies. Null: the organization’s setting applies.',
    help: 'days for which its positions are kept, or none to keep them as the organization does',
    none: 'none',
  }),
  engineHours: described(
    optional(number(0, FIX_LIMITS.engineHours, 'hours')),
    'Engine hours before the first position.',
  ),
  odometer: described(
    optional(number(0, FIX_LIMITS.odometer, 'km')),
    'Odometer before the first position.',
  ),
  mileage: described(
    optional(number(0, FIX_LIMITS.mileage, 'km')),
    'Mileage before the first position.',
  ),
  address: described(optional(text(500)), 'Address, until a position has its own.'),
}

/** Settings that are stored in km, and given in another unit. */
export const OBJECT_DISTANCES = ['odometer', 'mileage', 'odometerOffset'] as const

const OF_THE_UNIT = "of the organization's distance unit"

/** The rules of settings as an operator gives them: distances in the distance unit of the organization. */
export const GIVEN_OBJECT_RULES: typeof OBJECT_RULES = {
  ...OBJECT_RULES,
  odometerOffset: {
    ...OBJECT_RULES.odometerOffset,
    ...number(-FIX_LIMITS.odometer, FIX_LIMITS.odometer, OF_THE_UNIT),
  },
  odometer: {
    ...OBJECT_RULES.odometer,
    ...optional(number(0, FIX_LIMITS.odometer, OF_THE_UNIT)),
  },
  mileage: {
    ...OBJECT_RULES.mileage,
    ...optional(number(0, FIX_LIMITS.mileage, OF_THE_UNIT)),
  },
}

/**
 * The settings that the admin API changes. Counters and address before the first position can be set by the
 * command line only.
 */
export type AdminObjectSettings = Omit<
  ObjectSettings,
  'accuracy' | 'engineHours' | 'odometer' | 'mileage' | 'address'
>

const { engineHours, odometer, mileage, address, ...adminRules } = GIVEN_OBJECT_RULES
export const ADMIN_OBJECT_RULES: Rules<AdminObjectSettings> = adminRules

export function objectSettingsFault(patch: Partial<ObjectSettings>): Fault | undefined {
  const { accuracy, ...rest } = patch
  return (
    firstFault(OBJECT_RULES, rest) ??
    (accuracy === undefined ? undefined : firstFault(ACCURACY_RULES, accuracy))
  )
}

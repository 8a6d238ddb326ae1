import {
  type Accuracy,
  COUNTER_TYPES,
  DISTANCE_SOURCES,
  type ObjectSettings,
  STOP_DETECTION_METHODS,
} from '../monitored-object.ts'
import { FIX_LIMITS } from '../position/fix.ts'
import { GAP_RULE } from './gap-rule.ts'
import {
  described,
  type Fault,
  firstFault,
  number,
  oneOf,
  optional,
  type Rules,
  text,
} from './rule.ts'
import { TIME_ZONE_RULE } from './time-zone-rule.ts'

/** Speeds in km/h, distances in metres, as the documentation gives them. */
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
  maximumAccuracy: described(number(0, FIX_LIMITS.accuracy, 'metres'), {
    description:
      'Largest accuracy in metres of a position that is accepted, as phones send it: 200 where it was not set. The public API does not show it.',
    help: 'largest accuracy in metres that a phone may claim',
  }),
  minimumDifferencePoint: described(number(0, 100_000, 'metres'), {
    description: 'Minimum distance in metres between two positions that are both accepted.',
    help: 'minimum distance between accepted points',
  }),
  minimumGpsLevel: described(number(0, FIX_LIMITS.gpsLevel), {
    description: 'Minimum GPS quality level of a position that is accepted.',
    help: 'minimum GPS quality level',
  }),
  idleSpeedThreshold: described(number(0, 1_000, 'km/h'), {
    description: 'Speed in km/h that separates idling from a stop.',
    help: 'speed above which an object that does not move is idle',
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
      'Minutes between two positions beyond which silence is not driving. Null: as the organization has it.',
    help: 'minutes beyond which silence between two positions is not driving, or none: as the organization has it',
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
  vin: described(optional(text(64)), 'Vehicle identification number.'),
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

import {
  type Accuracy,
  COUNTER_TYPES,
  DISTANCE_SOURCES,
  type ObjectSettings,
  STOP_DETECTION_METHODS,
} from '../monitored-object.ts'
import { FIX_LIMITS } from '../position/fix.ts'
import { type Fault, firstFault, number, oneOf, optional, type Rules, text } from './rule.ts'
import { TIME_ZONE_RULE } from './time-zone-rule.ts'

/** Speeds in km/h, distances in metres, as the documentation gives them. */
export const ACCURACY_RULES: Rules<Accuracy> = {
  deviceTimezone: TIME_ZONE_RULE,
  maximumHdop: number(0, FIX_LIMITS.hdop),
  minimumDifferencePoint: number(0, 100_000, 'metres'),
  minimumGpsLevel: number(0, FIX_LIMITS.gpsLevel),
  idleSpeedThreshold: number(0, 1_000, 'km/h'),
  minimumMovingSpeed: number(0, 1_000, 'km/h'),
  distanceSource: oneOf(DISTANCE_SOURCES),
  stopDetectionMethod: oneOf(STOP_DETECTION_METHODS),
}

/** Counters in hours and km. Each field of `accuracy` is checked by the rules above. */
export const OBJECT_RULES: Rules<Omit<ObjectSettings, 'accuracy'>> = {
  name: text(200),
  ident: text(64),
  vin: optional(text(64)),
  plateNumber: optional(text(64)),
  engineHoursType: oneOf(COUNTER_TYPES),
  odometerType: oneOf(COUNTER_TYPES),
  odometerOffset: number(-FIX_LIMITS.odometer, FIX_LIMITS.odometer, 'km'),
  engineHours: optional(number(0, FIX_LIMITS.engineHours, 'hours')),
  odometer: optional(number(0, FIX_LIMITS.odometer, 'km')),
  mileage: optional(number(0, FIX_LIMITS.mileage, 'km')),
  address: optional(text(500)),
}

const OF_THE_UNIT = "of the organization's distance unit"

/** The rules of settings as an operator gives them: distances in the distance unit of the organization. */
export const GIVEN_OBJECT_RULES: typeof OBJECT_RULES = {
  ...OBJECT_RULES,
  odometerOffset: number(-FIX_LIMITS.odometer, FIX_LIMITS.odometer, OF_THE_UNIT),
  odometer: optional(number(0, FIX_LIMITS.odometer, OF_THE_UNIT)),
  mileage: optional(number(0, FIX_LIMITS.mileage, OF_THE_UNIT)),
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

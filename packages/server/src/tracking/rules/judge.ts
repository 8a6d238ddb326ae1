import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { type Fix, type FixFault, fixFault } from '../../domain/position/fix.ts'
import type { ClockFault } from './judge-clock.ts'

/** Why a well-formed packet is not accepted as a position. */
export type RejectCode =
  | FixFault
  | 'hdop_above_maximum'
  | 'accuracy_above_maximum'
  | 'gps_level_below_minimum'

/** The reasons as sentences, for operators who ask why an object does not move. */
export const REJECT_REASONS: Readonly<Record<string, string>> = {
  no_fix: 'latitude and longitude are 0 or missing: the receiver had no fix',
  out_of_range: 'a value is larger or smaller than any can be',
  bad_time: 'a time lies before 1970 or beyond what can be kept',
  in_future:
    'time_device lies ahead: the device sends local times, and its device_timezone is not set, or its clock is wrong',
  implausible_past:
    "time_device is older than the organization's maximum_age: the clock of the device is wrong",
  hdop_above_maximum: "hdop is above the object's maximum_hdop",
  accuracy_above_maximum: "accuracy is above the object's maximum_accuracy",
  gps_level_below_minimum: "the GPS level is below the object's minimum_gps_level",
  beyond_retention: 'it is older than what the organization keeps',
  conflict: 'another position of this time_device is stored: the better one of both is kept',
  unreadable_value:
    'the position is stored without values that cannot be read, or that no vehicle has',
} satisfies Record<
  RejectCode | ClockFault | 'beyond_retention' | 'conflict' | 'unreadable_value',
  string
>

/**
 * Judges a fix by its own values. Returns undefined if it is accepted, else the reason. A quality that
 * the fix does not give is not held against it.
 */
export function judge(
  { accuracy }: MonitoredObject,
  fix: Fix,
  now: number,
): RejectCode | undefined {
  const fault = fixFault(fix, now)
  if (fault !== undefined) return fault
  if (fix.hdop !== null && fix.hdop > accuracy.maximumHdop) return 'hdop_above_maximum'
  if (fix.accuracy !== null && fix.accuracy > accuracy.maximumAccuracy) {
    return 'accuracy_above_maximum'
  }
  if (fix.gpsLevel !== null && fix.gpsLevel < accuracy.minimumGpsLevel) {
    return 'gps_level_below_minimum'
  }
  return undefined
}

import { type Fix, type FixFault, fixFault } from '../domain/fix.ts'
import type { TrackedObject } from '../domain/tracked-object.ts'

/** Why a well-formed packet is not accepted as a position. */
export type Objection = FixFault | 'hdop_above_maximum' | 'gps_level_below_minimum'

/** The reasons as sentences, for operators who ask why an object does not move. */
export const OBJECTIONS: Readonly<Record<string, string>> = {
  no_fix: 'latitude and longitude are 0: the receiver had no fix',
  out_of_range: 'a value is larger or smaller than any can be',
  bad_time: 'a time lies before 1970 or beyond what can be kept',
  in_future: 'time_device lies more than a day ahead',
  hdop_above_maximum: "hdop is above the object's maximum_hdop",
  gps_level_below_minimum: "the GPS level is below the object's minimum_gps_level",
  beyond_retention: 'it is older than what the organization keeps',
} satisfies Record<Objection | 'beyond_retention', string>

/**
 * Judges a fix by its own values. Returns undefined if it is accepted, else the reason. A quality that
 * the fix does not give is not held against it.
 */
export function judge({ accuracy }: TrackedObject, fix: Fix, now: number): Objection | undefined {
  const fault = fixFault(fix, now)
  if (fault !== undefined) return fault
  if (fix.hdop !== null && fix.hdop > accuracy.maximumHdop) return 'hdop_above_maximum'
  if (fix.gpsLevel !== null && fix.gpsLevel < accuracy.minimumGpsLevel) {
    return 'gps_level_below_minimum'
  }
  return undefined
}

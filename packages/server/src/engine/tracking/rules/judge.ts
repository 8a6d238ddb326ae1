import type { MonitoredObject } from '../../../base/domain/monitored-object.ts'
import { isExpired, type OrganizationSettings } from '../../../base/domain/organization.ts'
import { ATTRIBUTE_LIMITS, textOf } from '../../../base/domain/position/attribute.ts'
import type { DroppedNames } from '../../../base/domain/position/current-attributes.ts'
import { FIELD_COUNT_RANK } from '../../../base/domain/position/field.ts'
import { DECIDING } from '../../../base/domain/position/field-lists.ts'
import { type Fix, type FixFault, fixFault } from '../../../base/domain/position/fix.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/domain/time/time.ts'

/*
 * This file judges packets: a fix by its own values, its time by the clock of the server, and two fixes of one
 * moment by each other.
 */

/**
 * Why a fix of an object is acknowledged and leaves no trace, whatever its values: positions of its moment were erased, or
 * are private.
 */
export const WITHHELD = ['erased', 'private'] as const
export type Withheld = (typeof WITHHELD)[number]

/** Why a well-formed packet is not accepted as a position. */
export type RejectCode =
  | FixFault
  | 'hdop_above_maximum'
  | 'accuracy_above_maximum'
  | 'gps_level_below_minimum'
  | 'beyond_retention'

const grouped = (count: number) => count.toLocaleString('en')

/** The reasons as sentences, for operators who ask why an object does not move. */
export const REJECT_REASONS: Readonly<Record<string, string>> = {
  no_fix: 'latitude and longitude are 0 or missing: the device had no GPS fix',
  out_of_range: 'a value is outside its possible range',
  bad_time: 'a time is before 1970 or too far in the future',
  in_future:
    'time_device is in the future: set device_timezone if the device sends local times, or correct its clock',
  implausible_past:
    "time_device is older than the organization's maximum_age: the clock of the device is wrong",
  hdop_above_maximum: "hdop is above the object's maximum_hdop",
  accuracy_above_maximum: "accuracy is above the object's maximum_accuracy",
  gps_level_below_minimum: "the GPS level is below the object's minimum_gps_level",
  beyond_retention: 'it is older than the retention period of the organization or of the object',
  erased: 'positions of this time were deleted permanently and are not stored again',
  private: 'it is in the private hours of its object and is not stored',
  conflict: 'another position with this time_device is stored: the better of the two is kept',
  unreadable_value: 'the position was stored without values that are unreadable or implausible',
  limit_of_object_names: `the position was stored without its attributes: an object can have ${grouped(ATTRIBUTE_LIMITS.names)} attribute names, or ${ATTRIBUTE_LIMITS.surelyNames} once all objects of the organization have ${grouped(ATTRIBUTE_LIMITS.namesOfObjects)} together`,
  limit_of_names: `the position was stored without its attributes: an organization can have ${grouped(ATTRIBUTE_LIMITS.namesOfOrganization)} attribute names. Make the name a source of the catalogue, or forget others`,
} satisfies Record<
  RejectCode | ClockFault | keyof DroppedNames | Withheld | 'conflict' | 'unreadable_value',
  string
>

/**
 * Judges a fix by its own values. Returns undefined if it is accepted, else the reason. A quality that
 * the fix does not give is not held against it.
 */
export function judge(object: MonitoredObject, fix: Fix, now: number): RejectCode | undefined {
  const { accuracy } = object
  const fault = fixFault(fix, now)
  if (fault !== undefined) return fault
  if (isExpired(object, fix.timeDevice, now)) return 'beyond_retention'
  if (fix.hdop !== null && fix.hdop > accuracy.maximumHdop) return 'hdop_above_maximum'
  if (fix.accuracy !== null && fix.accuracy > accuracy.maximumAccuracy) {
    return 'accuracy_above_maximum'
  }
  if (fix.gpsLevel !== null && fix.gpsLevel < accuracy.minimumGpsLevel) {
    return 'gps_level_below_minimum'
  }
  return undefined
}

/** The week number of GPS has ten bits, so an old receiver repeats its weeks. */
const ROLLOVER_MS = 1_024 * 7 * DAY_MS
/** The first week was that of 6 January 1980, so a receiver of today has missed one or two rollovers. */
const MISSED_ROLLOVERS = [1, 2]

/** Why the time of a fix cannot be right. */
export const CLOCK_FAULTS = ['in_future', 'implausible_past'] as const
export type ClockFault = (typeof CLOCK_FAULTS)[number]

export type ClockSettings = Pick<
  OrganizationSettings,
  'futureTolerance' | 'maximumAge' | 'correctRollover'
>

/** Whether a fix is further ahead than its organization allows. Times in ms since the epoch. */
export function isAhead(
  { futureTolerance }: ClockSettings,
  timeDevice: number,
  now: number,
): boolean {
  return timeDevice > now + futureTolerance * MINUTE_MS
}

/** Judges the time of a fix that its device sends now. Undefined if it can be right. */
export function clockFault(
  settings: ClockSettings,
  timeDevice: number,
  now: number,
): ClockFault | undefined {
  if (isAhead(settings, timeDevice, now)) return 'in_future'
  return isTooOld(settings, timeDevice, now) ? 'implausible_past' : undefined
}

/**
 * The time of a fix after the rollovers of the week number of GPS that its receiver has missed. Undefined if the time
 * needs no correction, if none helps, or if the organization does not want any.
 */
export function correctedTime(
  settings: ClockSettings,
  timeDevice: number,
  now: number,
): number | undefined {
  if (!settings.correctRollover || !isTooOld(settings, timeDevice, now)) return undefined
  return MISSED_ROLLOVERS.map((missed) => timeDevice + missed * ROLLOVER_MS).find(
    (time) => clockFault(settings, time, now) === undefined,
  )
}

function isTooOld({ maximumAge }: ClockSettings, timeDevice: number, now: number): boolean {
  return timeDevice < now - maximumAge * DAY_MS
}

type Quality = (fix: Fix) => number

/** The qualities by which two fixes of one moment are compared, in this order. More is better, and unknown is worst. */
const QUALITIES: readonly Quality[] = [
  ...DECIDING.map(({ key, wins }) => ({
    rank: wins.rank,
    of: (fix: Fix) => {
      const value = fix[key]
      if (value === null) return Number.NEGATIVE_INFINITY
      return wins.by === 'less' ? -Number(value) : Number(value)
    },
  })),
  {
    rank: FIELD_COUNT_RANK,
    of: (fix: Fix) => Object.values(fix).filter((value) => value !== null).length,
  },
]
  .sort((a, b) => a.rank - b.rank)
  .map(({ of }) => of)

/**
 * Compares two fixes of one object and moment. The better quality by the fix's own account wins, then the
 * fix with more fields, then the greater one field by field. So the result does not depend on which came
 * first. Positive: `a` wins. Negative: `b` wins. 0: they are equal, apart from `timeServer`.
 */
export function prefer(a: Fix, b: Fix): number {
  for (const quality of QUALITIES) {
    const [ofA, ofB] = [quality(a), quality(b)]
    if (ofA !== ofB) return ofA > ofB ? 1 : -1
  }
  if (a.address !== b.address) return (a.address ?? '') > (b.address ?? '') ? 1 : -1
  if (a.attributes === null && b.attributes === null) return 0
  const [ofA, ofB] = [textOf(a.attributes), textOf(b.attributes)]
  return ofA === ofB ? 0 : ofA > ofB ? 1 : -1
}

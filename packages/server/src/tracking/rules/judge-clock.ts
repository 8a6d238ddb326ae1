import type { OrganizationSettings } from '../../domain/organization.ts'
import { DAY_MS } from '../../domain/time/time.ts'

const MINUTE_MS = 60_000
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

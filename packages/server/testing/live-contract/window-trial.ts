import { type RateWindow, SPAN_US } from '../../src/base/access/sliding-log.ts'
import { RATE_WINDOW } from '../../src/base/domain/limits.ts'
import type { HandedClock } from '../handed-clock.ts'
import { type Check, judge, mulberry32, type TrialResult } from './window-verdicts.ts'

/**
 * Sends requests of many organizations in seeded bursts and pauses. Some requests come exactly when a refusal's
 * wait ends, and some one microsecond earlier.
 */
export function tryWindow(
  window: RateWindow,
  clock: HandedClock,
  { checks, organizations, seed }: { checks: number; organizations: number; seed: number },
): TrialResult {
  const random = mulberry32(seed)
  const verdicts: Check[] = []
  const promised = new Map<number, number>()
  const appointments: number[] = []
  while (verdicts.length < checks) {
    const organization = turnClock(clock, random, organizations, promised, appointments)
    const timeUs = clock.monotonic()
    const { admitted, resetUs } = window.take(organization + 1)
    verdicts.push({ organization, timeUs, admitted, resetUs })
    if (admitted) promised.delete(organization)
    else {
      promised.set(organization, timeUs + resetUs)
      appointments.push(organization)
    }
  }
  return judge(verdicts, { requests: RATE_WINDOW.requests, spanUs: SPAN_US })
}

/** Picks the next organization and time: within a burst, after a pause, or around the end of a wait. */
function turnClock(
  clock: HandedClock,
  random: () => number,
  organizations: number,
  promised: Map<number, number>,
  appointments: number[],
): number {
  const organization = appointments.shift()
  const promise = organization === undefined ? undefined : promised.get(organization)
  if (organization !== undefined && promise !== undefined && random() < 0.5) {
    const untilPromise = promise - clock.monotonic()
    const early = random() < 0.5 ? 1 : 0
    if (untilPromise >= early && untilPromise < 50_000) {
      clock.advanceUs(untilPromise - early)
      return organization
    }
    appointments.push(organization)
  }
  const draw = random()
  if (draw < 0.001) clock.advanceUs(Math.floor(random() * 3_000_000))
  else if (draw < 0.3) clock.advanceUs(Math.floor(random() * 2_000))
  // In a burst, a few organizations send far more requests than the others.
  const crowd = random() < 0.5 ? Math.max(1, Math.floor(organizations / 20)) : organizations
  return Math.floor(random() * crowd)
}

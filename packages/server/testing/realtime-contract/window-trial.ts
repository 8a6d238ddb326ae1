import { RATE_WINDOW } from '../../src/access/sliding-log.ts'
import type { RateWindow } from '../../src/realtime/memory/rate-window.ts'
import type { HandedClock } from '../handed-clock.ts'

/** The result of a trial of a rate window. All three counts are 0 if the window keeps its promise. */
export type TrialResult = {
  checks: number
  admitted: number
  /** Half-open spans of 10 s with more than 10 admissions. */
  overfullSpans: number
  /** Refusals although fewer than 10 requests were admitted in the 10 s before. */
  undeserved: number
  /** Waits that did not end at the first moment at which a request is admitted. */
  wrongWaits: number
}

/**
 * Sends requests of many organizations in seeded bursts and pauses. Some requests come exactly when a refusal's
 * wait ends, and some one microsecond earlier. Judges every verdict by the plain definition of the rule.
 */
export function tryWindow(
  window: RateWindow,
  clock: HandedClock,
  { checks, organizations, seed }: { checks: number; organizations: number; seed: number },
): TrialResult {
  const { requests, spanUs } = RATE_WINDOW
  const random = mulberry32(seed)
  const result: TrialResult = {
    checks,
    admitted: 0,
    overfullSpans: 0,
    undeserved: 0,
    wrongWaits: 0,
  }
  /** For each organization, the admissions that may still share a span with the next one. */
  const recent = Array.from({ length: organizations }, (): number[] => [])
  const promised = new Map<number, number>()
  const appointments: number[] = []

  for (let check = 0; check < checks; check++) {
    const organization = turnClock(clock, random, organizations, promised, appointments)
    const nowUs = clock.monotonic()
    const verdict = window.take(organization + 1)
    const admissions = recent[organization]!
    while (admissions.length > 0 && admissions[0]! <= nowUs - spanUs) admissions.shift()
    const promise = promised.get(organization)
    if (verdict.admitted) {
      result.admitted++
      admissions.push(nowUs)
      if (admissions.length > requests) result.overfullSpans++
      if (promise !== undefined && nowUs < promise) result.wrongWaits++
      promised.delete(organization)
    } else {
      if (admissions.length < requests) result.undeserved++
      if (promise !== undefined && nowUs >= promise) result.wrongWaits++
      promised.set(organization, nowUs + verdict.resetUs)
      appointments.push(organization)
    }
  }
  return result
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

/** A generator of numbers in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type WindowRule = { requests: number; spanUs: number }

/** The result of a trial. The last four counts are 0 if the window keeps its promise. */
export type TrialResult = {
  checks: number
  admitted: number
  /** Checks that no server answered. */
  unanswered: number
  /** Half-open spans with more admissions than the rule allows. */
  overfullSpans: number
  /** Refusals although fewer requests were admitted in the span before. */
  undeserved: number
  /** Waits that did not end at the first moment at which a request is admitted. */
  wrongWaits: number
}

/** A request with the window's verdict; null if no server answered. */
export type Check = {
  organization: number
  timeUs: number | null
  admitted: boolean
  resetUs: number
}

/** Judges all verdicts by the plain definition of the rule, by organization, in the server's order. */
export function judge(checks: readonly Check[], { requests, spanUs }: WindowRule): TrialResult {
  const result: TrialResult = {
    checks: checks.length,
    admitted: 0,
    unanswered: 0,
    overfullSpans: 0,
    undeserved: 0,
    wrongWaits: 0,
  }
  const answered = checks.filter(({ timeUs }) => timeUs !== null)
  result.unanswered = checks.length - answered.length
  for (const ofOne of Map.groupBy(answered, ({ organization }) => organization).values()) {
    // If two verdicts have the same microsecond, the admission came first.
    ofOne.sort((a, b) => a.timeUs! - b.timeUs! || Number(b.admitted) - Number(a.admitted))
    const admissions: number[] = []
    for (const { timeUs, admitted, resetUs } of ofOne) {
      while (admissions.length > 0 && admissions[0]! <= timeUs! - spanUs) admissions.shift()
      if (admitted) {
        result.admitted += 1
        admissions.push(timeUs!)
        if (admissions.length > requests) result.overfullSpans += 1
      } else if (admissions.length < requests) {
        result.undeserved += 1
      }
      // The oldest admission that still counts is the next to make room.
      const freesUs = (admissions.at(-requests) ?? admissions[0]!) + spanUs
      if (timeUs! + resetUs !== freesUs) result.wrongWaits += 1
    }
  }
  return result
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

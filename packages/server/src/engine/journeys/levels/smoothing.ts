import type { LevelSettings, Sample } from './samples.ts'

/** A value is smoothed with at least so many before and after it, however old they are, so that one spike changes nothing. */
export const MIN_SIDE = 3

/** And with at most so many. So a value changes no level farther away. */
export const MAX_SIDE = 60

/** The samples from `from` to `to`, both included, that may smooth each other. No event is between them. */
export type Span = { readonly from: number; readonly to: number }

/**
 * The level at a sample: the median of its window, in which as many come before it as after it, except at the ends of a
 * span. A median takes away slosh and spikes, and keeps the edge of a step, which a mean would turn into a ramp
 * (J. W. Tukey, Exploratory Data Analysis, 1977, chapter 7). Of two middle values it is the one nearer to the sample.
 */
export function levelAt(
  samples: readonly Sample[],
  at: number,
  span: Span,
  { halfWindow, threshold }: LevelSettings,
): number {
  const { from: first, to: last } = windowOf(samples, at, span, halfWindow)
  const values = samples.slice(first, last + 1).map(({ value }) => value)
  values.sort((a, b) => a - b)
  const upper = values[values.length >> 1]!
  const lower = values[(values.length - 1) >> 1]!
  const { value } = samples[at]!
  const middle = Math.abs(lower - value) <= Math.abs(upper - value) ? lower : upper
  return 8 * Math.abs(middle - value) <= threshold ? value : middle
}

/** The samples from which the level at one comes. */
export function windowOf(
  samples: readonly Sample[],
  at: number,
  { from, to }: Span,
  halfWindow: number,
): Span {
  const first = windowEnd(samples, at, from, halfWindow)
  const last = windowEnd(samples, at, to, halfWindow)
  if (first === from || last === to) return { from: first, to: last }
  const side = Math.min(at - first, last - at)
  return { from: at - side, to: at + side }
}

/** Whether no later sample changes the window of this one. */
export function isSettled(
  samples: readonly Sample[],
  at: number,
  { halfWindow }: LevelSettings,
): boolean {
  const end = samples.length - 1
  return windowEnd(samples, at, end, halfWindow) < end
}

/** The last index of the window of `at` in the direction of `limit`. */
function windowEnd(
  samples: readonly Sample[],
  at: number,
  limit: number,
  halfWindow: number,
): number {
  const step = limit < at ? -1 : 1
  const { time } = samples[at]!
  let end = at
  for (let side = 0; end !== limit && side < MAX_SIDE; side += 1) {
    const isNear = Math.abs(samples[end + step]!.time - time) <= halfWindow
    if (side >= MIN_SIDE && !isNear) break
    end += step
  }
  return end
}

import type { TimeRange } from './time.ts'

/*
 * Closed ranges of time in ascending order, without overlaps, which are searched by bisection.
 */

/** The index of the first range that ends at a moment or later. */
export function indexFrom(ranges: readonly TimeRange[], time: number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ranges[middle]!.to < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The first of the ranges, which are ascending, that ends at a moment or later. */
export function firstFrom<Range extends TimeRange>(
  ranges: readonly Range[],
  time: number,
): Range | undefined {
  return ranges[indexFrom(ranges, time)]
}

/** The range that has a moment. */
export function rangeAt<Range extends TimeRange>(
  ranges: readonly Range[],
  time: number,
): Range | undefined {
  const found = firstFrom(ranges, time)
  return found !== undefined && found.from <= time ? found : undefined
}

/** The parts of a range that are in these ranges, ascending. */
export function partsIn(ranges: readonly TimeRange[], { from, to }: TimeRange): TimeRange[] {
  const parts: TimeRange[] = []
  for (let index = indexFrom(ranges, from); index < ranges.length; index += 1) {
    const range = ranges[index]!
    if (range.from > to) break
    parts.push({ from: Math.max(from, range.from), to: Math.min(to, range.to) })
  }
  return parts
}

/** The same moments as ascending ranges with gaps between them. */
export function joinedRanges(ranges: Iterable<TimeRange>): TimeRange[] {
  const apart: TimeRange[] = []
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else apart.push({ from, to })
  }
  return apart
}

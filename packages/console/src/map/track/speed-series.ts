import type { Track } from '../../api/types.ts'
import { GAP_MS, type TrackPoint } from './track.ts'

type Series = (number | null)[]

/** A number that a chart can draw next to the speed. */
export type ChartedAttribute = Track['attributes'][number]

/** The numbers of the catalogue, and the measures of quality, that the positions have. */
export function chartedOf({ attributes, measures }: Track): ChartedAttribute[] {
  return [...attributes, ...measures.map((each) => ({ ...each, name: `measure ${each.label}` }))]
}

/**
 * Speeds by seconds since the epoch, with a gap where fixes are too far apart, and the values of an attribute next to them.
 * A fix without a value has the last one.
 */
export function speedSeries(
  points: TrackPoint[],
  attribute: readonly (number | null)[] = [],
): { times: number[]; speeds: Series; values: Series } {
  const times: number[] = []
  const speeds: Series = []
  const values: Series = []
  let before: number | undefined
  let last: number | null = null
  for (const [index, [time, , , speed]] of points.entries()) {
    if (before !== undefined && time - before > GAP_MS) {
      times.push((before + 1) / 1000)
      speeds.push(null)
      values.push(null)
      last = null
    }
    last = attribute[index] ?? last
    times.push(time / 1000)
    speeds.push(speed)
    values.push(last)
    before = time
  }
  return { times, speeds, values }
}

import type { DayRecord } from '../../records/day-records.ts'
import { endOf, startOf } from '../../records/span.ts'
import type { TrackPoint } from './track.ts'

/** Around a chosen record the chart shows this part of its time more, and no less than these milliseconds. */
const MARGIN = 0.05
const MIN_MARGIN_MS = 2 * 60_000

/** The times of a replay in milliseconds: of the chosen record, or else of all points. */
export type Played = {
  first: number
  last: number
  /** Where it starts. */
  start: number
  /** The part that the chart shows. Undefined: everything. */
  around: readonly [from: number, to: number] | undefined
}

export function played(points: readonly TrackPoint[], record: DayRecord | undefined): Played {
  const [begin, end] = [points[0]![0], points.at(-1)![0]]
  const within = (time: number) => Math.max(begin, Math.min(end, time))
  if (record === undefined) return { first: begin, last: end, start: begin, around: undefined }
  // A change of a level is a moment of the day.
  if (record.kind === 'level') {
    const start = within(endOf(record.row))
    return { first: begin, last: end, start, around: undefined }
  }
  const [first, last] = [within(startOf(record.row)), within(endOf(record.row))]
  const margin = Math.max((last - first) * MARGIN, MIN_MARGIN_MS)
  return { first, last, start: first, around: [first - margin, last + margin] }
}

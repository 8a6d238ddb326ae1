import { GAP_MS, type TrackPoint } from './track.ts'

/** Speeds by seconds since the epoch, with a gap where fixes are too far apart. */
export function speedSeries(points: TrackPoint[]): {
  times: number[]
  speeds: (number | null)[]
} {
  const times: number[] = []
  const speeds: (number | null)[] = []
  let before: number | undefined
  for (const [time, , , speed] of points) {
    if (before !== undefined && time - before > GAP_MS) {
      times.push((before + 1) / 1000)
      speeds.push(null)
    }
    times.push(time / 1000)
    speeds.push(speed)
    before = time
  }
  return { times, speeds }
}

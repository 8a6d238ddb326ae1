import type { Feature, FeatureCollection, MultiLineString } from 'geojson'
import type { Track } from '../../api/types.ts'
import { continued } from '../base/antimeridian.ts'

export type TrackPoint = Track['points'][number]

/** Fixes further apart than this leave a gap in the drawn track. */
export const GAP_MS = 10 * 60_000

/** Upper bounds of the speed classes in km/h. The last class has none. */
const CLASSES_KMH = [30, 60, 90]
const MILES = 0.621371

/** The same classes in the organization's unit, rounded, for the legend. */
export function speedBounds(unit: 'km' | 'mi'): number[] {
  return CLASSES_KMH.map((bound) => (unit === 'mi' ? Math.round(bound * MILES) : bound))
}

export function speedClass(speed: number | null, bounds: number[]): number {
  const found = bounds.findIndex((bound) => (speed ?? 0) < bound)
  return found < 0 ? bounds.length : found
}

/** The track with longitudes that continue beyond 180 where it crosses the antimeridian, as a map draws it. */
export function continuedTrack(track: Track): Track {
  const path = continued(track.points.map(([, longitude, latitude]) => [longitude, latitude]))
  const points = track.points.map(([time, , ...others], at): TrackPoint => {
    return [time, path[at]![0]!, ...others]
  })
  return { ...track, points }
}

/** The place at a moment, interpolated in time between two fixes. */
export type AtMoment = {
  at: [longitude: number, latitude: number]
  /** The fix at the moment, or the last one before it. */
  index: number
  point: TrackPoint
}

export function atMoment(points: TrackPoint[], time: number): AtMoment | undefined {
  const first = points[0]
  if (first === undefined) return undefined
  const index = lastBefore(points, time)
  const point = points[index]!
  const next = points[index + 1]
  if (next === undefined || time <= point[0] || isSilent(points, index, time)) {
    return { at: [point[1], point[2]], index, point }
  }
  const part = (time - point[0]) / (next[0] - point[0])
  return {
    at: [point[1] + (next[1] - point[1]) * part, point[2] + (next[2] - point[2]) * part],
    index,
    point,
  }
}

/** Whether a moment after the point at an index is in a gap, of which nothing is known. */
export function isSilent(points: TrackPoint[], index: number, time: number): boolean {
  const [point, next] = [points[index], points[index + 1]]
  if (point === undefined || next === undefined) return false
  return time > point[0] && next[0] - point[0] > GAP_MS
}

/** Index of the last point that is not after the time; 0 if all are after it. */
export function lastBefore(points: TrackPoint[], time: number): number {
  let low = 0
  let high = points.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (points[middle]![0] <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** The track as lines, one feature for each speed class. A leg has the class of the fix at its end. */
export function coloredWay(points: TrackPoint[], bounds: number[]): FeatureCollection {
  const lines: [number, number][][][] = Array.from({ length: bounds.length + 1 }, () => [])
  let line: [number, number][] | undefined
  let of = -1
  for (let index = 1; index < points.length; index++) {
    const from = points[index - 1]!
    const to = points[index]!
    if (to[0] - from[0] > GAP_MS) {
      line = undefined
      continue
    }
    const speed = speedClass(to[3], bounds)
    if (line === undefined || speed !== of) {
      line = [[from[1], from[2]]]
      of = speed
      lines[of]!.push(line)
    }
    line.push([to[1], to[2]])
  }
  return {
    type: 'FeatureCollection',
    features: lines.map(
      (coordinates, speed): Feature<MultiLineString> => ({
        type: 'Feature',
        properties: { speed },
        geometry: { type: 'MultiLineString', coordinates },
      }),
    ),
  }
}

export function boundsOf(
  positions: Iterable<readonly [number, number]>,
): [west: number, south: number, east: number, north: number] | undefined {
  let found: [number, number, number, number] | undefined
  for (const [x, y] of positions) {
    found ??= [x, y, x, y]
    if (x < found[0]) found[0] = x
    if (y < found[1]) found[1] = y
    if (x > found[2]) found[2] = x
    if (y > found[3]) found[3] = y
  }
  return found
}

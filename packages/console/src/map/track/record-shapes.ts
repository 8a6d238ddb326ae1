import type { Feature, FeatureCollection, LineString, Point } from 'geojson'
import type { DayRecord } from '../../records/day-records.ts'
import { endOf, startOf } from '../../records/span.ts'
import { stopNumbers } from '../../records/stop-numbers.ts'
import { continued } from '../base/antimeridian.ts'
import { isIdle, stopLabel } from './stops.ts'
import { lastBefore, type TrackPoint } from './track.ts'

type LonLat = [longitude: number, latitude: number]

/** The places of a record on the map, in order. A trip that began before the day still has its start. */
export function pathOf(record: DayRecord, points: TrackPoint[]): LonLat[] {
  const { kind, row } = record
  if (kind === 'stop' || kind === 'level') return [[row.longitude, row.latitude]]
  const inside = between(points, startOf(row), endOf(row))
  if (kind === 'visit') return inside
  const { start_longitude, start_latitude, end_longitude, end_latitude } = row
  const end: LonLat[] = end_longitude === null ? [] : [[end_longitude, end_latitude!]]
  return continued([[start_longitude, start_latitude], ...inside, ...end])
}

function between(points: TrackPoint[], start: number, end: number): LonLat[] {
  const found: LonLat[] = []
  for (let index = lastBefore(points, start); index < points.length; index += 1) {
    const [time, longitude, latitude] = points[index]!
    if (time > end) break
    if (time >= start) found.push([longitude, latitude])
  }
  return found
}

/** The numbered stops as points. Those outside of the range are faded. */
export function stopFeatures(
  records: readonly DayRecord[],
  [from, to]: readonly [from: number, to: number],
): FeatureCollection {
  const numbers = stopNumbers(records)
  return collection(
    records.flatMap((record): Feature<Point>[] => {
      const number = numbers.get(record.key)
      if (record.kind !== 'stop' || number === undefined) return []
      const { key, row } = record
      const isFaded = endOf(row) < from || startOf(row) > to
      const motion = isIdle(row) ? 'idle' : 'stopped'
      const properties = { key, number, label: stopLabel(row), motion, isFaded }
      return [{ type: 'Feature', properties, geometry: pointAt(row.longitude, row.latitude) }]
    }),
  )
}

/** The trips as lines that a pointer finds. */
export function tripFeatures(records: readonly DayRecord[], points: TrackPoint[]) {
  return collection(
    records.flatMap((record) => {
      if (record.kind !== 'trip') return []
      const properties = { key: record.key }
      return [{ type: 'Feature' as const, properties, geometry: lineOf(pathOf(record, points)) }]
    }),
  )
}

/** The chosen record, if it has one place only. */
export function chosenPlace(path: readonly LonLat[]): FeatureCollection {
  const [first, second] = path
  if (first === undefined || second !== undefined) return collection([])
  return collection([{ type: 'Feature', properties: {}, geometry: pointAt(...first) }])
}

function pointAt(longitude: number, latitude: number): Point {
  return { type: 'Point', coordinates: [longitude, latitude] }
}

function lineOf(coordinates: LonLat[]): LineString {
  return { type: 'LineString', coordinates }
}

function collection(features: Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features }
}

import type { Stop, Trip, Visit } from '../api/types.ts'
import type { DayRecord } from './day-records.ts'
import { isShortStop, stopNumbers } from './stop-numbers.ts'

export type VisitRecord = Extract<DayRecord, { kind: 'visit' }>
export type StopRecord = Extract<DayRecord, { kind: 'stop' }>
export type TripRecord = Extract<DayRecord, { kind: 'trip' }>

/** A record in the list of a day. */
export type DayLine = { visits: VisitRecord[] } & (
  | { record: StopRecord; number: number | null; place: string | null }
  | { record: TripRecord; from: string | null; to: string | null }
  | { record: Extract<DayRecord, { kind: 'level' }> }
)

export type DayLines = {
  /** By time. */
  lines: DayLine[]
  /** Visits that last from the beginning of the day to its end. */
  allDay: VisitRecord[]
  shortStops: StopRecord[]
}

/**
 * The list of a day: trips, stops and changes of levels by time, with the visits that happened in them. `day`: its first
 * and its last moment.
 */
export function dayLines(
  records: readonly DayRecord[],
  day: { from: string; to: string },
): DayLines {
  const numbers = stopNumbers(records)
  const visits = records.filter((record): record is VisitRecord => record.kind === 'visit')
  const allDay = visits.filter(({ row }) => isAllDay(row, records, day))
  const places = new Map(visits.map(({ row }) => [placeKey(row.place_type, row.place_id), row]))
  const stops = records.filter((record): record is StopRecord => record.kind === 'stop')
  const lines = records.flatMap((record): DayLine[] => {
    if (record.kind === 'visit' || isShortStop(record)) return []
    if (record.kind === 'level') return [{ record, visits: [] }]
    if (record.kind === 'trip')
      return [{ record, visits: [], ...endsOf(record.row, stops, places) }]
    const number = numbers.get(record.key)!
    return [{ record, number, place: placeOf(record.row, places), visits: [] }]
  })
  for (const visit of visits) {
    if (!allDay.includes(visit)) lineOf(visit.row, lines)?.visits.push(visit)
  }
  return { lines, allDay, shortStops: stops.filter(isShortStop) }
}

type Places = ReadonlyMap<string, Visit>

function placeKey(type: Visit['place_type'], id: number): string {
  return `${type} ${id}`
}

/** Where an object stopped, as people call it: the site, or else the address. A geofence may be a whole city. */
function placeOf({ site_ids, address }: Stop, places: Places): string | null {
  for (const id of site_ids) {
    const name = places.get(placeKey('site', id))?.place_name
    if (name != null) return name
  }
  return address
}

/** The stops at both ends of a trip have names, and else its own addresses do. */
function endsOf(trip: Trip, stops: readonly StopRecord[], places: Places) {
  const before = stops.find(({ row }) => row.end_time === trip.start_time)
  const after = stops.find(({ row }) => row.start_time === trip.end_time)
  return {
    from: (before && placeOf(before.row, places)) ?? trip.start_address,
    to: (after && placeOf(after.row, places)) ?? trip.end_address,
  }
}

type Span = { start_time: string; end_time: string | null }

function startOf({ start_time }: Span): number {
  return Date.parse(start_time)
}

function endOf({ end_time }: Span): number {
  return end_time === null ? Number.POSITIVE_INFINITY : Date.parse(end_time)
}

/** A visit lasts all day if no trip or stop of the day is outside of it. */
function isAllDay(visit: Visit, records: readonly DayRecord[], day: { from: string; to: string }) {
  const [from, to] = [Date.parse(day.from), Date.parse(day.to)]
  const others = records.filter(({ kind }) => kind === 'trip' || kind === 'stop')
  return others.every(
    ({ row }) =>
      startOf(visit) <= Math.max(from, startOf(row)) && endOf(visit) >= Math.min(to, endOf(row)),
  )
}

/** The trip or stop that has most of a visit, or else the one in which it began. */
function lineOf(visit: Visit, lines: readonly DayLine[]): DayLine | undefined {
  const [start, end] = [startOf(visit), Math.min(endOf(visit), Date.now())]
  const spans = lines.filter(({ record }) => record.kind !== 'level')
  const most = spans.find(({ record: { row } }) => {
    const shared = Math.min(end, endOf(row)) - Math.max(start, startOf(row))
    return shared * 2 > end - start
  })
  return most ?? spans.findLast(({ record: { row } }) => startOf(row) <= start) ?? spans[0]
}

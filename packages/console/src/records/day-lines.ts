import type { Stop, Trip, Visit } from '../api/types.ts'
import type { DayRecord } from './day-records.ts'
import { endOf, startOf } from './span.ts'
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
  const { start, end } = spanOf(records, day)
  const isAllDay = ({ row }: VisitRecord) => startOf(row) <= start && endOf(row) >= end
  const places = new Map(visits.map(({ row }) => [placeKey(row.place_type, row.place_id), row]))
  const stops = records.filter((record): record is StopRecord => record.kind === 'stop')
  const stopAt = (stop: StopRecord | undefined) => stop && placeOf(stop.row, places)
  const before = new Map(stops.map((stop) => [stop.row.end_time, stop]))
  const after = new Map(stops.map((stop) => [stop.row.start_time, stop]))
  // The stops at both ends of a trip have names, and else its own addresses do.
  const endsOf = ({ start_time, end_time, ...trip }: Trip) => ({
    from: stopAt(before.get(start_time)) ?? trip.start_address,
    to: (end_time === null ? null : stopAt(after.get(end_time))) ?? trip.end_address,
  })
  const lines = records.flatMap((record): DayLine[] => {
    if (record.kind === 'visit' || isShortStop(record)) return []
    if (record.kind === 'level') return [{ record, visits: [] }]
    if (record.kind === 'trip') return [{ record, visits: [], ...endsOf(record.row) }]
    const number = numbers.get(record.key)!
    return [{ record, number, place: placeOf(record.row, places), visits: [] }]
  })
  putIn(
    lines,
    visits.filter((visit) => !isAllDay(visit)),
  )
  return { lines, allDay: visits.filter(isAllDay), shortStops: stops.filter(isShortStop) }
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

/** The part of the day that has trips and stops. A visit that covers it lasts all day. */
function spanOf(records: readonly DayRecord[], day: { from: string; to: string }) {
  const rows = records.flatMap(({ kind, row }) => (kind === 'trip' || kind === 'stop' ? [row] : []))
  const [from, to] = [Date.parse(day.from), Date.parse(day.to)]
  return {
    start: rows.reduce((least, row) => Math.min(least, Math.max(from, startOf(row))), to),
    end: rows.reduce((most, row) => Math.max(most, Math.min(to, endOf(row))), from),
  }
}

/** Puts each visit into the trip or stop that has most of it, or else the one in which it began. All are by time. */
function putIn(lines: readonly DayLine[], visits: readonly VisitRecord[]): void {
  const spans = lines.filter(({ record }) => record.kind !== 'level')
  let began = 0
  for (const visit of visits) {
    const [start, end] = [startOf(visit.row), Math.min(endOf(visit.row), Date.now())]
    while (began + 1 < spans.length && startOf(spans[began + 1]!.record.row) <= start) began += 1
    let most = spans[began]
    for (let at = began; at < spans.length && startOf(spans[at]!.record.row) < end; at += 1) {
      const { row } = spans[at]!.record
      const shared = Math.min(end, endOf(row)) - Math.max(start, startOf(row))
      if (shared * 2 > end - start) most = spans[at]
    }
    most?.visits.push(visit)
  }
}

import { maxOf, minOf } from '../../src/domain/any-number.ts'
import {
  type Box,
  type DerivedRecord,
  keyOf,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
} from '../../src/domain/record.ts'
import { distanceMetres } from '../../src/fold/rules/geodesic.ts'
import type { TrackRow } from '../../src/fold/track-row.ts'

/*
 * The definition of records, over all rows of an object at once. It shares no code with the rules that it
 * judges.
 */

export type PlainPlace = {
  placeType: Visit['placeType']
  place: number
  contains(latitude: number, longitude: number): boolean
}

const MINUTE = 60_000

export function plainRecords(
  rows: readonly TrackRow[],
  places: readonly PlainPlace[],
): DerivedRecord[] {
  return [...plainSegments(rows, places), ...places.flatMap((place) => plainVisits(rows, place))]
}

/** Indexes of the first and the last row of a segment. */
type Span = { kind: 'trip' | 'stop'; first: number; last: number; isOpen: boolean }

function plainSegments(rows: readonly TrackRow[], places: readonly PlainPlace[]): DerivedRecord[] {
  let basis = rows.find(({ odometer }) => odometer !== null)?.odometer ?? null
  return spansOf(rows).map((span) => {
    if (span.kind === 'stop') return stopOf(rows, span, places)
    const trip = tripOf(rows, span, basis)
    basis = rows[span.last]!.odometer ?? basis
    return trip
  })
}

function spansOf(rows: readonly TrackRow[]): Span[] {
  const spans: Span[] = []
  const activeAfter = (index: number) =>
    rows.findIndex(({ isActive }, other) => other > index && isActive)
  let first = 0
  let isTrip = rows[0]?.isActive ?? false
  while (first < rows.length) {
    if (!isTrip) {
      const active = activeAfter(first - 1)
      if (active < 0)
        return [...spans, { kind: 'stop', first, last: rows.length - 1, isOpen: true }]
      spans.push({ kind: 'stop', first, last: active - 1, isOpen: false })
      first = active - 1
      isTrip = true
      continue
    }
    const last = tripEnd(rows, first, activeAfter)
    if (last === null)
      return [...spans, { kind: 'trip', first, last: rows.length - 1, isOpen: true }]
    spans.push({ kind: 'trip', first, last, isOpen: false })
    // The stop may consist of this row alone.
    const active = activeAfter(last)
    spans.push({
      kind: 'stop',
      first: last,
      last: active < 0 ? rows.length - 1 : active - 1,
      isOpen: active < 0,
    })
    if (active < 0) return spans
    first = active - 1
  }
  return spans
}

/** The last row of the trip that starts at a row. Null: it is open. */
function tripEnd(
  rows: readonly TrackRow[],
  first: number,
  activeAfter: (index: number) => number,
): number | null {
  let active = first === 0 && rows[0]!.isActive ? 0 : activeAfter(first)
  for (;;) {
    const next = activeAfter(active)
    const until = next < 0 ? rows.length : next
    const isLong = (index: number) => rows[index]!.time - rows[active]!.time > 5 * MINUTE
    const standing = rows.findIndex(
      ({ motion }, index) => index >= active && index < until && motion !== 'moving',
    )
    if (standing >= 0) {
      const ending = rows.findIndex(
        (_, index) => index > active && index >= standing && index < until && isLong(index),
      )
      const isEnded = ending >= 0 || (next >= 0 && isLong(next))
      if (isEnded) return lastCounted(rows, standing, ending >= 0 ? ending : until - 1)
    }
    if (next < 0) return null
    active = next
  }
}

/** The row up to `until` at which the last leg of a trip is counted, or the standing row. */
function lastCounted(rows: readonly TrackRow[], standing: number, until: number): number {
  let end = standing
  for (let index = standing + 1; index <= until; index += 1) {
    const [before, row] = [rows[index - 1]!, rows[index]!]
    const grew = (row.odometer ?? 0) - (before.odometer ?? 0) > 0
    if (before.hasMoved && !row.hasMoved && grew) end = index
  }
  return end
}

function tripOf(rows: readonly TrackRow[], span: Span, basis: number | null): Trip {
  const all = rows.slice(span.first, span.last + 1)
  const [start, end] = [all[0]!, all.at(-1)!]
  const believed = rows.slice(0, span.first).findLast(({ isSuspect }) => !isSuspect)
  let place = start
  if (start.isSuspect && believed !== undefined && all.length > 1) {
    const next = all[1]!
    if (metres(believed, next) <= metres(start, next)) place = believed
  }
  const speeds = all.flatMap(({ speed }) => (speed === null ? [] : [speed]))
  return {
    kind: 'trip',
    start: start.time,
    end: span.isOpen ? null : end.time,
    until: end.time,
    from: pointOf(start, place),
    to: span.isOpen ? null : pointOf(end, end),
    distance: end.odometer === null || basis === null ? null : end.odometer - basis,
    movingTime: timeOf(all, 'moving'),
    maxSpeed: speeds.length === 0 ? null : maxOf(speeds),
    ...countsOf(all, place),
  }
}

function metres(a: TrackRow, b: TrackRow): number {
  return distanceMetres(a.latitude, a.longitude, b.latitude, b.longitude)
}

function pointOf({ time, odometer, engineHours }: TrackRow, place: TrackRow): TripPoint {
  const { latitude, longitude, address } = place
  return { time, latitude, longitude, address, odometer, engineHours }
}

function timeOf(rows: readonly TrackRow[], motion: TrackRow['motion']): number {
  return rows
    .slice(1)
    .reduce(
      (sum, { time }, index) =>
        rows[index]!.motion === motion ? sum + time - rows[index]!.time : sum,
      0,
    )
}

function countsOf(rows: readonly TrackRow[], place: TrackRow) {
  const box = boxOf([place, ...rows.slice(1).filter(({ isSuspect }) => !isSuspect)])
  return {
    idleTime: timeOf(rows, 'idle'),
    positions: rows.filter(({ isShown }) => isShown).length,
    longestGap: Math.max(
      0,
      maxOf(rows.slice(1).map(({ time }, index) => time - rows[index]!.time)),
    ),
    box,
  }
}

function boxOf(rows: readonly TrackRow[]): Box {
  const longitudes = rows.map(({ longitude }) => longitude)
  const latitudes = rows.map(({ latitude }) => latitude)
  return {
    west: minOf(longitudes),
    south: minOf(latitudes),
    east: maxOf(longitudes),
    north: maxOf(latitudes),
  }
}

function stopOf(rows: readonly TrackRow[], span: Span, places: readonly PlainPlace[]): Stop {
  const all = rows.slice(span.first, span.last + 1)
  const { time, latitude, longitude, address } = all[0]!
  const until = all.at(-1)!.time
  const ids = (type: Visit['placeType']) =>
    places
      .filter(({ placeType, contains }) => placeType === type && contains(latitude, longitude))
      .map(({ place }) => place)
      .sort((a, b) => a - b)
  return {
    kind: 'stop',
    start: time,
    end: span.isOpen ? null : until,
    until,
    latitude,
    longitude,
    address,
    geofences: ids('geofence'),
    sites: ids('site'),
    ...countsOf(all, all[0]!),
  }
}

function plainVisits(rows: readonly TrackRow[], at: PlainPlace): Visit[] {
  const believed = rows.filter(({ isSuspect }) => !isSuspect)
  const isInside = believed.map(({ latitude, longitude }) => at.contains(latitude, longitude))
  const visits: Visit[] = []
  for (let index = 0; index < believed.length; index += 1) {
    if (!isInside[index]) continue
    let last = index
    let over = -1
    for (let other = index + 1; other < believed.length && over < 0; other += 1) {
      if (isInside[other]) last = other
      else if (believed[other]!.time - believed[last]!.time > 2 * MINUTE) over = other
    }
    const [start, end] = [believed[index]!, believed[last]!]
    const shown = rows.filter(
      ({ isShown, time }) => isShown && time >= start.time && time <= end.time,
    )
    visits.push({
      kind: 'visit',
      placeType: at.placeType,
      place: at.place,
      start: start.time,
      end: over < 0 ? null : end.time,
      until: end.time,
      before: believed[index - 1]?.time ?? null,
      after: over < 0 ? null : believed[last + 1]!.time,
      distance:
        start.odometer === null || end.odometer === null ? null : end.odometer - start.odometer,
      positions: shown.length,
    })
    if (over < 0) break
    index = over - 1
  }
  return visits
}

/** Sorts records by kind, place and start. */
export function sorted(records: DerivedRecord[]): DerivedRecord[] {
  const rank = (record: DerivedRecord) => {
    const { kind, start, place } = keyOf(record)
    return [kind, place, start]
  }
  return records.sort((a, b) => {
    const [x, y] = [rank(a), rank(b)]
    return x[0]! - y[0]! || x[1]! - y[1]! || x[2]! - y[2]!
  })
}

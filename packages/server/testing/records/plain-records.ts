import { maxOf, minOf } from '../../src/base/domain/common/any-number.ts'
import {
  type Box,
  type DerivedRecord,
  keyOf,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
} from '../../src/base/domain/record.ts'
import { distanceMetres } from '../../src/engine/tracking/rules/geodesic.ts'
import type { TrackRow } from '../../src/engine/tracking/track-row.ts'

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
type Span = {
  kind: 'trip' | 'stop'
  first: number
  last: number
  isOpen: boolean
  /** Whether it is a trip over a silence. */
  isSilent?: boolean
}

/** Indexes of the rows before and after a silence. */
export type Quiet = { from: number; to: number; isTrip: boolean }

function plainSegments(rows: readonly TrackRow[], places: readonly PlainPlace[]): DerivedRecord[] {
  let basis = rows.find(({ odometer }) => odometer !== null)?.odometer ?? null
  const quiets = quietsOf(rows)
  const quiet = new Set(quiets.flatMap(({ from, to }) => rows.slice(from + 1, to + 1)))
  return spansOf(rows, quiets).map((span) => {
    if (span.kind === 'stop') return stopOf(rows, span, places, quiet)
    const trip = tripOf(rows, span, basis)
    basis = rows[span.last]!.odometer ?? basis
    return trip
  })
}

export function quietsOf(rows: readonly TrackRow[]): Quiet[] {
  return rows.flatMap(({ silence }, index) => {
    if (silence === null) return []
    const believed = rows.slice(0, index).findLastIndex(({ isSuspect }) => !isSuspect)
    const { before, confirms, beforeConfirmed } = silence
    const first = { from: believed, to: index - 1, isTrip: true }
    const second = { from: confirms ? index - 1 : believed, to: index, isTrip: before === 'trip' }
    return [...(beforeConfirmed ? [first] : []), ...(before === null ? [] : [second])]
  })
}

/** The segments between silences, joined by them. */
function spansOf(rows: readonly TrackRow[], quiets: readonly Quiet[]): Span[] {
  const spans: Span[] = []
  const add = (span: Span) => {
    const last = spans.at(-1)
    const continues = last?.kind === 'stop' && span.kind === 'stop'
    if (continues) spans.splice(-1, 1, { ...span, first: last.first })
    else spans.push(span)
  }
  let first = 0
  for (const { from, to, isTrip } of quiets) {
    for (const span of spansFrom(rows.slice(0, from + 1), first, true)) add(span)
    const last = spans.at(-1)!
    // A trip needs a leg.
    const isEmpty = last.kind === 'trip' && last.first === from
    if (isEmpty) spans.pop()
    if (isTrip) add({ kind: 'trip', first: from, last: to, isOpen: false, isSilent: true })
    else if (isEmpty) spans.push({ kind: 'stop', first: from, last: to, isOpen: false })
    else add({ kind: 'stop', first: from, last: to, isOpen: false })
    first = to
  }
  for (const span of spansFrom(rows, first, false)) add(span)
  return spans
}

/** The segments from a row on, in which no silence is. `isClosed`: a silence follows the last row. */
function spansFrom(rows: readonly TrackRow[], from: number, isClosed: boolean): Span[] {
  const spans: Span[] = []
  const activeAfter = (index: number) =>
    rows.findIndex(({ isActive }, other) => other > index && isActive)
  const end = rows.length - 1
  const isOpen = !isClosed
  let first = from
  let isTrip = rows[from]?.isActive ?? false
  let active = isTrip ? from : activeAfter(from)
  while (first < rows.length) {
    if (!isTrip) {
      if (active < 0) return [...spans, { kind: 'stop', first, last: end, isOpen }]
      spans.push({ kind: 'stop', first, last: active - 1, isOpen: false })
      first = active - 1
      isTrip = true
      continue
    }
    const { last, isCertain } = tripEnd(rows, active, activeAfter)
    if (!isCertain && isOpen) return [...spans, { kind: 'trip', first, last: end, isOpen }]
    if (last === null) return [...spans, { kind: 'trip', first, last: end, isOpen: false }]
    spans.push({ kind: 'trip', first, last, isOpen: false })
    // The stop may consist of this row alone.
    active = activeAfter(last)
    isTrip = false
    first = last
  }
  return spans
}

/** The last row of the trip that first moves at a row, null if it only moves, and whether the end is certain. */
function tripEnd(
  rows: readonly TrackRow[],
  from: number,
  activeAfter: (index: number) => number,
): { last: number | null; isCertain: boolean } {
  let active = from
  for (;;) {
    const next = activeAfter(active)
    const until = next < 0 ? rows.length : next
    const isLong = (index: number) => rows[index]!.time - rows[active]!.time > 5 * MINUTE
    const standing = rows.findIndex(
      ({ motion }, index) => index >= active && index < until && motion !== 'moving',
    )
    if (standing >= 0) {
      const ending = rows.findIndex(
        ({ isSuspect }, index) =>
          index > active && index >= standing && index < until && isLong(index) && !isSuspect,
      )
      const isCertain = ending >= 0 || (next >= 0 && isLong(next))
      const last = lastCounted(rows, standing, ending >= 0 ? ending : until - 1)
      if (isCertain || next < 0) return { last, isCertain }
    }
    if (next < 0) return { last: null, isCertain: false }
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
  const distance = end.odometer === null || basis === null ? null : end.odometer - basis
  return {
    kind: 'trip',
    start: start.time,
    end: span.isOpen ? null : end.time,
    until: end.time,
    from: pointOf(start, place),
    to: span.isOpen ? null : pointOf(end, end),
    distance,
    movingTime: span.isSilent === true ? 0 : timeOf(all, 'moving', NOTHING),
    silentTime: span.isSilent === true ? end.time - start.time : 0,
    maxSpeed: maxSpeedOf(rows, span, distance),
    ...countsOf(all, place, span.isSilent === true ? new Set(all) : NOTHING),
    ...(span.isSilent === true && {
      box: boxOf([place, ...all.filter(({ isSuspect }) => !isSuspect), end]),
    }),
  }
}

function maxSpeedOf(
  rows: readonly TrackRow[],
  { first, last, isSilent }: Span,
  distance: number | null,
): number | null {
  const known = highestOf(rows, first, isSilent === true ? last : first, last)
  const ms = rows[last]!.time - rows[first]!.time
  const average = distance === null || ms === 0 ? 0 : (Math.max(0, distance) / ms) * 3.6
  return average > (known ?? 0) ? Math.min(250, Math.ceil(average * 1e6) / 1e6) : known
}

/** The highest speed from a row to another one, or the highest pace of the legs between those after `from`. */
export function highestOf(
  rows: readonly TrackRow[],
  first: number,
  from: number,
  last: number,
): number | null {
  // Rows that are not believed count if they lead to one that confirms them.
  const counts = (index: number) => {
    if (!rows[index]!.isSuspect) return true
    const end = rows.findIndex((row, at) => at > index && !(row.isSuspect && row.joins))
    return end >= 0 && rows[end]!.joins
  }
  const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const speeds = indexes.flatMap((index) => (counts(index) ? (rows[index]!.speed ?? []) : []))
  if (speeds.length > 0) return maxOf(speeds)
  const paces = indexes.flatMap((index) => {
    const [before, row] = [rows[index - 1], rows[index]!]
    if (index <= from || before === undefined || row.isSuspect) return []
    const ms = row.time - (row.joins ? before.time : before.anchorAt)
    const mm = (row.odometer ?? 0) - (before.odometer ?? row.odometer ?? 0)
    return mm > 0 && ms > 30_000 ? [Math.min(250, inMillionths((mm / ms) * 3.6))] : []
  })
  return paces.length > 0 ? maxOf(paces) : null
}

const inMillionths = (value: number) => Math.round(value * 1e6) / 1e6

function metres(a: TrackRow, b: TrackRow): number {
  return distanceMetres(a.latitude, a.longitude, b.latitude, b.longitude)
}

function pointOf({ time, odometer, engineHours }: TrackRow, place: TrackRow): TripPoint {
  const { latitude, longitude, address } = place
  return { time, latitude, longitude, address, odometer, engineHours }
}

const NOTHING: ReadonlySet<TrackRow> = new Set()

/** `quiet`: the rows before which was a silence. */
function timeOf(
  rows: readonly TrackRow[],
  motion: TrackRow['motion'],
  quiet: ReadonlySet<TrackRow>,
): number {
  return rows
    .slice(1)
    .reduce(
      (sum, row, index) =>
        rows[index]!.motion === motion && !quiet.has(row)
          ? sum + row.time - rows[index]!.time
          : sum,
      0,
    )
}

function countsOf(rows: readonly TrackRow[], place: TrackRow, quiet: ReadonlySet<TrackRow>) {
  const box = boxOf([place, ...rows.slice(1).filter(({ isSuspect }) => !isSuspect)])
  return {
    idleTime: timeOf(rows, 'idle', quiet),
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

function stopOf(
  rows: readonly TrackRow[],
  span: Span,
  places: readonly PlainPlace[],
  quiet: ReadonlySet<TrackRow>,
): Stop {
  const all = rows.slice(span.first, span.last + 1)
  const { time, latitude, longitude, address, isSuspect } = all[0]!
  const until = all.at(-1)!.time
  const ids = (type: Visit['placeType']) =>
    places
      .filter(
        ({ placeType, contains }) =>
          placeType === type && !isSuspect && contains(latitude, longitude),
      )
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
    ...countsOf(all, all[0]!, quiet),
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
      before: start.silence?.confirms
        ? rows[rows.indexOf(start) - 1]!.time
        : (believed[index - 1]?.time ?? null),
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

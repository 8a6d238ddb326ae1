import { NumberReader, NumberWriter } from './packed-numbers.ts'
import { COORDINATE_SCALE, MICRO, scaled } from './position/fix-record.ts'
import {
  type Box,
  type DerivedRecord,
  keyOf,
  type RecordKey,
  STORED_KIND,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
} from './record.ts'

/**
 * A record as a row of a table. `fields` has everything that is not a column: numbers of
 * `domain/packed-numbers.ts`. Equal records have equal bytes.
 */
export type PackedRecord = RecordKey & { readonly end: number | null; readonly fields: Uint8Array }

export function packRecord(record: DerivedRecord): PackedRecord {
  const out = new NumberWriter()
  if (record.end === null) out.unsigned(record.until - record.start)
  if (record.kind === 'trip') writeTrip(out, record)
  else if (record.kind === 'stop') writeStop(out, record)
  else writeVisit(out, record)
  return { ...keyOf(record), end: record.end, fields: out.bytes() }
}

export function unpackRecord({ kind, start, place, end, fields }: PackedRecord): DerivedRecord {
  const input = new NumberReader(fields)
  const until = end ?? start + input.unsigned()
  const span = { start, end, until }
  if (kind === STORED_KIND.trip) return readTrip(input, span)
  if (kind === STORED_KIND.stop) return readStop(input, span)
  return readVisit(input, span, kind === STORED_KIND.geofence ? 'geofence' : 'site', place)
}

/** The box of a packed trip or stop, without reading the rest. */
export function boxOf({ end, fields }: PackedRecord): Box {
  const input = new NumberReader(fields)
  if (end === null) input.unsigned()
  return readBox(input)
}

type Spanned = Pick<Trip, 'start' | 'end' | 'until'>

function writeTrip(out: NumberWriter, trip: Trip): void {
  writeBox(out, trip.box)
  writePoint(out, trip.from)
  if (trip.to !== null) writePoint(out, trip.to)
  out.optional(trip.distance)
  out.unsigned(trip.movingTime)
  out.unsigned(trip.idleTime)
  out.optional(trip.maxSpeed === null ? null : scaled(trip.maxSpeed, MICRO))
  out.unsigned(trip.positions)
  out.unsigned(trip.longestGap)
}

function readTrip(input: NumberReader, span: Spanned): Trip {
  const box = readBox(input)
  const from = readPoint(input, span.start)
  const to = span.end === null ? null : readPoint(input, span.end)
  const distance = input.optional()
  const movingTime = input.unsigned()
  const idleTime = input.unsigned()
  const speed = input.optional()
  return {
    kind: 'trip',
    ...span,
    from,
    to,
    distance,
    movingTime,
    idleTime,
    maxSpeed: speed === null ? null : speed / MICRO,
    positions: input.unsigned(),
    longestGap: input.unsigned(),
    box,
  }
}

function writeStop(out: NumberWriter, stop: Stop): void {
  writeBox(out, stop.box)
  writeDegrees(out, stop.latitude)
  writeDegrees(out, stop.longitude)
  out.text(stop.address)
  out.unsigned(stop.idleTime)
  out.unsigned(stop.positions)
  out.unsigned(stop.longestGap)
  for (const places of [stop.geofences, stop.sites]) {
    out.unsigned(places.length)
    for (const id of places) out.unsigned(id)
  }
}

function readStop(input: NumberReader, span: Spanned): Stop {
  const box = readBox(input)
  return {
    kind: 'stop',
    ...span,
    latitude: readDegrees(input),
    longitude: readDegrees(input),
    address: input.text(),
    idleTime: input.unsigned(),
    positions: input.unsigned(),
    longestGap: input.unsigned(),
    geofences: readIds(input),
    sites: readIds(input),
    box,
  }
}

function readIds(input: NumberReader): number[] {
  const ids: number[] = []
  for (let left = input.unsigned(); left > 0; left -= 1) ids.push(input.unsigned())
  return ids
}

function writeVisit(out: NumberWriter, visit: Visit): void {
  const { before, after, until } = visit
  out.optional(before === null ? null : visit.start - before)
  out.optional(after === null ? null : after - until)
  out.optional(visit.distance)
  out.unsigned(visit.positions)
}

function readVisit(
  input: NumberReader,
  span: Spanned,
  placeType: Visit['placeType'],
  place: number,
): Visit {
  const before = input.optional()
  const after = input.optional()
  return {
    kind: 'visit',
    placeType,
    place,
    ...span,
    before: before === null ? null : span.start - before,
    after: after === null ? null : span.until + after,
    distance: input.optional(),
    positions: input.unsigned(),
  }
}

function writePoint(out: NumberWriter, point: TripPoint): void {
  writeDegrees(out, point.latitude)
  writeDegrees(out, point.longitude)
  out.text(point.address)
  out.optional(point.odometer)
  out.optional(point.engineHours)
}

function readPoint(input: NumberReader, time: number): TripPoint {
  return {
    time,
    latitude: readDegrees(input),
    longitude: readDegrees(input),
    address: input.text(),
    odometer: input.optional(),
    engineHours: input.optional(),
  }
}

function writeBox(out: NumberWriter, { west, south, east, north }: Box): void {
  for (const degrees of [west, south, east, north]) writeDegrees(out, degrees)
}

function readBox(input: NumberReader): Box {
  const west = readDegrees(input)
  const south = readDegrees(input)
  return { west, south, east: readDegrees(input), north: readDegrees(input) }
}

/** Exact, because positions are stored in this scale. */
export function writeDegrees(out: NumberWriter, degrees: number): void {
  out.signed(scaled(degrees, COORDINATE_SCALE))
}

export function readDegrees(input: NumberReader): number {
  return input.signed() / COORDINATE_SCALE
}

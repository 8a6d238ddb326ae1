import { NumberReader, NumberWriter } from './common/packed-numbers.ts'
import { COORDINATE_SCALE, MICRO, scaled } from './position/fix-record.ts'
import {
  type Box,
  type DerivedRecord,
  keyOf,
  type LevelChange,
  type RecordKey,
  STORED_KIND,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
} from './record.ts'
import type { TimeRange } from './time/time.ts'

/**
 * A record as a row of a table. `fields` has everything that is not a column: numbers of
 * `base/domain/common/packed-numbers.ts`. Equal records have equal bytes.
 */
export type PackedRecord = RecordKey & { readonly end: number | null; readonly fields: Uint8Array }

type Span = Pick<DerivedRecord, 'start' | 'end' | 'until'>

/** How a field of a record is packed. */
type Packing<Value> = {
  write(out: NumberWriter, value: Value, span: Span): void
  read(input: NumberReader, span: Span): Value
}

/** The fields of a record that are not columns, in the order in which they are packed. */
type PackingOf<Of extends DerivedRecord> = {
  readonly [Name in Exclude<
    keyof Of,
    keyof Span | 'kind' | 'place' | 'placeType' | 'attribute'
  >]: Packing<Of[Name]>
}

const NUMBER: Packing<number> = {
  write: (out, value) => out.unsigned(value),
  read: (input) => input.unsigned(),
}

const NUMBER_OR_NULL: Packing<number | null> = {
  write: (out, value) => out.optional(value),
  read: (input) => input.optional(),
}

const TEXT: Packing<string | null> = {
  write: (out, value) => out.text(value),
  read: (input) => input.text(),
}

/** Exact, because positions are stored with these decimals. */
const SPEED: Packing<number | null> = {
  write: (out, value) => out.optional(value === null ? null : scaled(value, MICRO)),
  read(input) {
    const value = input.optional()
    return value === null ? null : value / MICRO
  },
}

const DEGREES: Packing<number> = { write: writeDegrees, read: readDegrees }

const BOX: Packing<Box> = {
  write(out, { west, south, east, north }) {
    for (const degrees of [west, south, east, north]) writeDegrees(out, degrees)
  },
  read(input) {
    const west = readDegrees(input)
    const south = readDegrees(input)
    return { west, south, east: readDegrees(input), north: readDegrees(input) }
  },
}

const FROM: Packing<TripPoint> = {
  write: writePoint,
  read: (input, { start }) => readPoint(input, start),
}

const TO: Packing<TripPoint | null> = {
  write: (out, point) => point !== null && writePoint(out, point),
  read: (input, { end }) => (end === null ? null : readPoint(input, end)),
}

const SIGNED: Packing<number> = {
  write: (out, value) => out.signed(value),
  read: (input) => input.signed(),
}

const FLAG: Packing<boolean> = {
  write: (out, value) => out.unsigned(Number(value)),
  read: (input) => input.unsigned() === 1,
}

const LEVEL_CHANGES = ['filled', 'drained'] as const

const LEVEL_CHANGE: Packing<LevelChange['change']> = {
  write: (out, change) => out.unsigned(LEVEL_CHANGES.indexOf(change)),
  read: (input) => LEVEL_CHANGES[input.unsigned()]!,
}

const IDS: Packing<readonly number[]> = {
  write(out, ids) {
    out.unsigned(ids.length)
    for (const id of ids) out.unsigned(id)
  },
  read(input) {
    const ids: number[] = []
    for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) ids.push(input.unsigned())
    return ids
  },
}

/** A time before the start. */
const BEFORE: Packing<number | null> = {
  write: (out, time, { start }) => out.optional(time === null ? null : start - time),
  read(input, { start }) {
    const before = input.optional()
    return before === null ? null : start - before
  },
}

/** A time after the last position. */
const AFTER: Packing<number | null> = {
  write: (out, time, { until }) => out.optional(time === null ? null : time - until),
  read(input, { until }) {
    const after = input.optional()
    return after === null ? null : until + after
  },
}

/** A range that contains the record. */
const AROUND: Packing<TimeRange> = {
  write(out, { from, to }, { start, until }) {
    out.unsigned(start - from)
    out.unsigned(to - until)
  },
  read: (input, { start, until }) => ({
    from: start - input.unsigned(),
    to: until + input.unsigned(),
  }),
}

const TRIP: PackingOf<Trip> = {
  box: BOX,
  from: FROM,
  to: TO,
  distance: NUMBER_OR_NULL,
  movingTime: NUMBER,
  idleTime: NUMBER,
  silentTime: NUMBER,
  maxSpeed: SPEED,
  positions: NUMBER,
  longestGap: NUMBER,
}

const STOP: PackingOf<Stop> = {
  box: BOX,
  latitude: DEGREES,
  longitude: DEGREES,
  address: TEXT,
  idleTime: NUMBER,
  positions: NUMBER,
  longestGap: NUMBER,
  geofences: IDS,
  sites: IDS,
}

const VISIT: PackingOf<Visit> = {
  before: BEFORE,
  after: AFTER,
  distance: NUMBER_OR_NULL,
  positions: NUMBER,
}

const LEVEL: PackingOf<LevelChange> = {
  ...STOP,
  change: LEVEL_CHANGE,
  amount: NUMBER,
  before: SIGNED,
  after: SIGNED,
  reach: AROUND,
  decimals: NUMBER,
  isOpen: FLAG,
}

const PACKINGS = {
  trip: listed(TRIP),
  stop: listed(STOP),
  visit: listed(VISIT),
  level: listed(LEVEL),
}

function listed<Of extends DerivedRecord>(packing: PackingOf<Of>) {
  return Object.entries(packing as Record<string, Packing<unknown>>)
}

export function packRecord(record: DerivedRecord): PackedRecord {
  const out = new NumberWriter()
  if (record.end === null) out.unsigned(record.until - record.start)
  const values = record as unknown as Record<string, unknown>
  for (const [name, packing] of PACKINGS[record.kind]) packing.write(out, values[name], record)
  return { ...keyOf(record), end: record.end, fields: out.bytes() }
}

export function unpackRecord({ kind, start, place, end, fields }: PackedRecord): DerivedRecord {
  const input = new NumberReader(fields)
  const span = { start, end, until: end ?? start + input.unsigned() }
  const record: Record<string, unknown> = { ...kindOf(kind, place), ...span }
  for (const [name, packing] of PACKINGS[record.kind as DerivedRecord['kind']]) {
    record[name] = packing.read(input, span)
  }
  return record as unknown as DerivedRecord
}

function kindOf(kind: RecordKey['kind'], place: number) {
  if (kind === STORED_KIND.trip) return { kind: 'trip' }
  if (kind === STORED_KIND.stop) return { kind: 'stop' }
  if (kind === STORED_KIND.level) return { kind: 'level', attribute: place }
  return { kind: 'visit', placeType: kind === STORED_KIND.geofence ? 'geofence' : 'site', place }
}

/** The time up to which a packed record under way is counted. */
export function untilOfOpen(start: number, fields: Uint8Array): number {
  return start + new NumberReader(fields).unsigned()
}

/** The box of a packed trip or stop, which is the first of its fields, without reading the rest. */
export function boxOf({ start, end, fields }: PackedRecord): Box {
  const input = new NumberReader(fields)
  const until = end ?? start + input.unsigned()
  return BOX.read(input, { start, end, until })
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

/** Exact, because positions are stored in this scale. */
export function writeDegrees(out: NumberWriter, degrees: number): void {
  out.signed(scaled(degrees, COORDINATE_SCALE))
}

export function readDegrees(input: NumberReader): number {
  return input.signed() / COORDINATE_SCALE
}

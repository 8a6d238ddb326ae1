import { NumberReader, NumberWriter, ownBytes } from '../../../base/domain/common/packed-numbers.ts'
import { MICRO, scaled } from '../../../base/domain/position/fix-record.ts'
import { type Motion, SILENCES } from '../../../base/domain/position/fold-state.ts'
import type { TripPoint } from '../../../base/domain/record.ts'
import { readDegrees, writeDegrees } from '../../../base/domain/record-form.ts'
import type { Tail } from '../../store/record-store.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import {
  type Candidate,
  type Checkpoint,
  type OpenStop,
  type OpenTrip,
  type OpenVisit,
  openOwners,
  type Progress,
  type Sums,
} from './progress.ts'

/*
 * The packed forms of a progress, which an object has as its tail, and of a checkpoint, which a stop has. Both
 * are numbers of `base/domain/common/packed-numbers.ts`, after the number of their form.
 */

const FORM = 2
/** The form of version 1 of the rules of movement. It has no paces and no anchors: a recompute derives all records again. */
const FORM_BEFORE = 1
const SEGMENTS = [null, 'stop', 'trip'] as const
const MOTIONS: readonly (Motion | null)[] = [null, 'stopped', 'idle', 'moving']

/** The tail of an object with rows. */
export function tailOf(progress: Progress): Tail {
  const owners = openOwners(progress)
  const open = owners.map(({ stored }) => stored).filter((stored) => stored !== null)
  return { open, progress: packProgress(progress) }
}

function packProgress(progress: Progress): Uint8Array {
  const { previous, believed, basis, segment, unbelieved, visits } = progress
  if (previous === null || segment === null)
    throw new TypeError('an object without rows has no tail')
  const out = new NumberWriter()
  out.unsigned(FORM)
  writeRow(out, previous)
  writeOptional(out, believed === previous ? null : believed, writeRow)
  out.optional(basis)
  writeOptional(out, unbelieved, writeSums)
  writeList(out, visits, writeVisit)
  out.unsigned(SEGMENTS.indexOf(segment.kind))
  if (segment.kind === 'trip') writeTrip(out, segment)
  else writeStop(out, segment)
  for (const { stored } of openOwners(progress)) out.unsigned(stored?.id ?? 0)
  return out.bytes()
}

export function progressOf({ open, progress: packed }: Tail): Progress {
  const input = readerOf(packed)
  const previous = readRow(input)
  const believed = readOptional(input, readRow) ?? previous
  const basis = input.optional()
  const unbelieved = readOptional(input, readSums)
  const visits = readList(input, readVisit)
  const isTrip = SEGMENTS[input.unsigned()] === 'trip'
  const segment = isTrip ? readTrip(input) : readStop(input)
  const progress: Progress = { previous, believed, basis, segment, unbelieved, visits }
  for (const owner of openOwners(progress)) {
    const id = input.unsigned()
    owner.stored = open.find((record) => record.id === id) ?? null
  }
  return progress
}

/** An object that is parked for hours brings the same checkpoint to each derivation. */
const packedCheckpoints = new WeakMap<Checkpoint, Uint8Array>()

export function packCheckpoint(checkpoint: Checkpoint): Uint8Array {
  const known = packedCheckpoints.get(checkpoint)
  if (known !== undefined) return known
  const out = new NumberWriter()
  out.unsigned(FORM)
  writeCheckpoint(out, checkpoint)
  const packed = ownBytes(out.bytes())
  packedCheckpoints.set(checkpoint, packed)
  return packed
}

export function unpackCheckpoint(packed: Uint8Array): Checkpoint {
  return readCheckpoint(readerOf(packed))
}

class FormReader extends NumberReader {
  readonly form = this.unsigned()
}

function readerOf(packed: Uint8Array): FormReader {
  const input = new FormReader(packed)
  if (input.form !== FORM && input.form !== FORM_BEFORE) {
    throw new Error('the progress of an object has a format that this version does not know')
  }
  return input
}

function writeCheckpoint(out: NumberWriter, { settledAt, row, basis, visits }: Checkpoint): void {
  writeRow(out, row)
  out.unsigned(settledAt - row.time)
  // The basis is the odometer of the row, unless that is unknown.
  out.unsigned(Number(basis === row.odometer))
  if (basis !== row.odometer) out.optional(basis)
  writeList(out, visits, writeVisit)
}

function readCheckpoint(input: FormReader): Checkpoint {
  const row = readRow(input)
  const settledAt = row.time + input.unsigned()
  const basis = input.unsigned() === 1 ? row.odometer : input.optional()
  return { settledAt, basis, row, visits: readList(input, readVisit) }
}

function writeTrip(out: NumberWriter, { from, sums, activeAt, candidate }: OpenTrip): void {
  writePoint(out, from)
  writeSums(out, sums)
  out.unsigned(activeAt)
  writeOptional(out, candidate, writeCandidate)
}

function readTrip(input: FormReader): OpenTrip {
  const from = readPoint(input)
  const sums = readSums(input)
  const activeAt = input.unsigned()
  const candidate = readOptional(input, readCandidate)
  return { kind: 'trip', from, sums, activeAt, candidate, stored: null }
}

function writeCandidate(out: NumberWriter, { row, since, visits }: Candidate): void {
  writeRow(out, row)
  writeSums(out, since)
  writeList(out, visits, writeVisit)
}

function readCandidate(input: FormReader): Candidate {
  const row = readRow(input)
  const since = readSums(input)
  return { row, since, visits: readList(input, readVisit) }
}

function writeStop(out: NumberWriter, { checkpoint, sums }: OpenStop): void {
  writeCheckpoint(out, checkpoint)
  writeSums(out, sums)
}

function readStop(input: FormReader): OpenStop {
  const checkpoint = readCheckpoint(input)
  return { kind: 'stop', checkpoint, sums: readSums(input), stored: null }
}

function writeVisit(out: NumberWriter, visit: OpenVisit): void {
  out.unsigned(visit.place * 2 + Number(visit.placeType === 'site'))
  out.unsigned(visit.start)
  out.optional(visit.before === null ? null : visit.start - visit.before)
  out.optional(visit.startOdometer)
  out.unsigned(visit.inside - visit.start)
  out.optional(visit.insideOdometer)
  out.unsigned(visit.insidePositions)
  out.optional(visit.outside === null ? null : visit.outside - visit.inside)
  out.unsigned(visit.positions - visit.insidePositions)
}

function readVisit(input: NumberReader): OpenVisit {
  const place = input.unsigned()
  const start = input.unsigned()
  const before = input.optional()
  const startOdometer = input.optional()
  const inside = start + input.unsigned()
  const insideOdometer = input.optional()
  const insidePositions = input.unsigned()
  const outside = input.optional()
  return {
    placeType: place % 2 === 1 ? 'site' : 'geofence',
    place: Math.floor(place / 2),
    start,
    before: before === null ? null : start - before,
    startOdometer,
    inside,
    insideOdometer,
    insidePositions,
    outside: outside === null ? null : inside + outside,
    positions: insidePositions + input.unsigned(),
    stored: null,
  }
}

function writeSums(out: NumberWriter, sums: Sums): void {
  out.unsigned(sums.movingTime)
  out.unsigned(sums.idleTime)
  out.unsigned(sums.silentTime)
  out.optional(sums.maxSpeed < 0 ? null : scaled(sums.maxSpeed, MICRO))
  out.optional(sums.maxPace < 0 ? null : scaled(sums.maxPace, MICRO))
  out.unsigned(sums.positions)
  out.unsigned(sums.longestGap)
  for (const side of ['west', 'south', 'east', 'north'] as const) writeDegrees(out, sums[side])
}

function readSums(input: FormReader): Sums {
  const movingTime = input.unsigned()
  const idleTime = input.unsigned()
  const silentTime = input.unsigned()
  const speed = input.optional()
  const pace = input.form === FORM_BEFORE ? null : input.optional()
  return {
    movingTime,
    idleTime,
    silentTime,
    maxSpeed: speed === null ? -1 : speed / MICRO,
    maxPace: pace === null ? -1 : pace / MICRO,
    positions: input.unsigned(),
    longestGap: input.unsigned(),
    west: readDegrees(input),
    south: readDegrees(input),
    east: readDegrees(input),
    north: readDegrees(input),
  }
}

function writePoint(out: NumberWriter, point: TripPoint): void {
  out.unsigned(point.time)
  writeDegrees(out, point.latitude)
  writeDegrees(out, point.longitude)
  out.text(point.address)
  out.optional(point.odometer)
  out.optional(point.engineHours)
}

function readPoint(input: NumberReader): TripPoint {
  return {
    time: input.unsigned(),
    latitude: readDegrees(input),
    longitude: readDegrees(input),
    address: input.text(),
    odometer: input.optional(),
    engineHours: input.optional(),
  }
}

const FLAG = { suspect: 4, shown: 8, active: 16, moved: 32 } as const
const MOTION_BITS = 3
const SILENCE_UNIT = 64

function writeRow(out: NumberWriter, row: TrackRow): void {
  let flags = MOTIONS.indexOf(row.motion)
  if (row.isSuspect) flags |= FLAG.suspect
  if (row.isShown) flags |= FLAG.shown
  if (row.isActive) flags |= FLAG.active
  if (row.hasMoved) flags |= FLAG.moved
  flags += SILENCES.indexOf(row.silence) * SILENCE_UNIT
  out.unsigned(flags)
  out.optional(row.speed === null ? null : scaled(row.speed, MICRO))
  out.unsigned(row.time - row.anchorAt)
  writePoint(out, row)
}

function readRow(input: FormReader): TrackRow {
  const flags = input.unsigned()
  const speed = input.optional()
  const sinceAnchor = input.form === FORM_BEFORE ? 0 : input.unsigned()
  const point = readPoint(input)
  return {
    ...point,
    anchorAt: point.time - sinceAnchor,
    speed: speed === null ? null : speed / MICRO,
    motion: MOTIONS[flags & MOTION_BITS]!,
    isSuspect: (flags & FLAG.suspect) !== 0,
    isShown: (flags & FLAG.shown) !== 0,
    isActive: (flags & FLAG.active) !== 0,
    hasMoved: (flags & FLAG.moved) !== 0,
    silence: SILENCES[Math.floor(flags / SILENCE_UNIT)]!,
    // Nothing is derived from them once the row has been.
    joins: false,
    isOff: false,
    attributes: null,
  }
}

function writeOptional<T>(
  out: NumberWriter,
  value: T | null,
  write: (out: NumberWriter, value: T) => void,
): void {
  out.unsigned(Number(value !== null))
  if (value !== null) write(out, value)
}

function readOptional<T>(input: FormReader, read: (input: FormReader) => T): T | null {
  return input.unsigned() === 0 ? null : read(input)
}

function writeList<T>(
  out: NumberWriter,
  values: readonly T[],
  write: (out: NumberWriter, value: T) => void,
): void {
  out.unsigned(values.length)
  for (const value of values) write(out, value)
}

function readList<T>(input: FormReader, read: (input: FormReader) => T): T[] {
  const values: T[] = []
  for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) values.push(read(input))
  return values
}

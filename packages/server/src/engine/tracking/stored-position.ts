import { writeUint48 } from '../../base/domain/common/packed-numbers.ts'
import type { AttributeNames } from '../../base/domain/position/attribute-section.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import {
  FIX_FLAG,
  FIX_RECORD,
  MICRO,
  readCounters,
  scaled,
  unpackFix,
  writeFix,
} from '../../base/domain/position/fix-record.ts'
import {
  type CounterReading,
  type Counters,
  type FoldState,
  type Group,
  MOTION_BITS,
  MOTIONS,
  type Motion,
  type Repeats,
  SILENCES,
  type Silence,
  type Step,
} from '../../base/domain/position/fold-state.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import type { ObjectShifts } from './object-shifts.ts'
import { MAX_READING_BYTES, readingsIn, writeReading } from './packed-reading.ts'
import { isRefuted } from './rules/repeats.ts'

/** The owner of positions, the shifts that apply to their stored counters, and the names of their attributes. */
export type Owned = {
  organization: number
  object: number
  shifts: ObjectShifts
  names: AttributeNames
}

/** A stored position with its counters as answers show them. */
export type StoredPosition = {
  fix: Fix
  counters: Counters
  /** Whether a counter is shown as 0 because it would be below, which only a later fold repairs. */
  isCut: boolean
  /** The fold state that is stored with it. */
  rowFold: RowFold
  /** The bytes of `rowFold`. */
  track: Uint8Array
  /** Whether the object had a newer position when this one was stored. */
  isLate: boolean
} & Visibility

/** The number of the change that first showed a position, and of the one that hid it. */
export type Visibility = { change: number; hidden: number | null }

/** A row of the table. `fix` is a record of `base/domain/position/fix-record.ts`, and `track` one of `packRowFold`. */
export type PositionRow = { fix: Uint8Array; track: Uint8Array } & Visibility

function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function readPosition({ shifts, names }: Owned, row: PositionRow): StoredPosition {
  const record = asBuffer(row.fix)
  const fix = unpackFix(record, 0, names)
  const stored = readCounters(record)
  const { change, hidden } = row
  const isLate = (record.readUInt16LE(FIX_RECORD.flags) & FIX_FLAG.late) !== 0
  const unpacked = unpackRowFold(row.track, fix.timeDevice)
  fix.odometer = unpacked.odometer
  fix.engineHours = unpacked.engineHours
  const counters = shifts.shown(stored, fix.timeDevice, unpacked.tripFrom)
  const isCut = shifts.isCut(stored, fix.timeDevice, unpacked.tripFrom)
  return { fix, counters, isCut, rowFold: unpacked, track: row.track, isLate, change, hidden }
}

/** Writes the record of a fix at the beginning of a buffer. Returns its length. */
export function writePosition(
  out: Buffer,
  { shifts, names }: Owned,
  fix: Fix,
  { fold }: Step,
  isLate: boolean,
): number {
  const counters = shifts.stored(fold, fix.timeDevice, fold.tripFrom)
  // The motion of a fix that is not believed is that of the fix before it.
  const motion = fold.suspect === null ? fold.motion : null
  return writeFix(out, fix, counters, { motion, isLate }, names)
}

/** A position that stays shown, or stays hidden, keeps the number of the change that made it so. */
export function visibilityAfter(
  existing: Visibility | null,
  step: Step,
  change: number,
): Visibility {
  if (existing === null) return { change, hidden: step.hidden ? change : null }
  const { hidden } = existing
  if ((hidden !== null) === step.hidden) return { change: existing.change, hidden }
  return step.hidden ? { change: existing.change, hidden: change } : { change, hidden: null }
}

/**
 * The part of the fold state that is stored with a position. Together with the position itself and those
 * that it points to it gives the whole `FoldState`, so that the fold can continue from any row. Pointers to
 * the row's own time are left out, as most are.
 */
export type RowFold = {
  readonly motion: Motion | null
  readonly suspect: boolean
  readonly joins: boolean
  readonly repeats: Repeats | null
  readonly startAt: number | null
  readonly originAt: number | null
  readonly group: Group | null
  readonly moved: boolean
  readonly parked: boolean
  readonly running: boolean
  readonly silence: Silence | null
  readonly doubtedAt: number | null
  /** The times of the positions that the fold state points to. */
  readonly anchorAt: number
  readonly lastAt: number
  readonly shownAt: number
  readonly activeAt: number | null
  readonly tripFrom: number | null
  /** The device's counters, as followed so far: mm, ms. */
  readonly odometerReading: CounterReading | null
  readonly engineHoursReading: CounterReading | null
  /** The device's counters in this fix: km, hours. */
  readonly odometer: number | null
  readonly engineHours: number | null
}

export const FLAG = {
  suspect: 1 << 2,
  moved: 1 << 3,
  parked: 1 << 4,
  running: 1 << 5,
  /** The object was active at the row's own time. */
  active: 1 << 6,
  /** The readings of the device's counters, which come last: `packed-reading.ts`. */
  odometerReading: 1 << 7,
  engineHoursReading: 1 << 8,
  joins: 1 << 16,
  /** A byte of rare flags follows: `RARE`. */
  rare: 1 << 17,
  /** The speed of the row itself was doubted. */
  doubted: 1 << 23,
} as const
/** The optional numbers in the order in which they are written, 6 bytes each. */
export const NUMBER = {
  anchorAt: 1 << 9,
  lastAt: 1 << 10,
  shownAt: 1 << 11,
  activeAt: 1 << 12,
  tripFrom: 1 << 13,
  doubtedAt: 1 << 18,
  odometer: 1 << 14,
  engineHours: 1 << 15,
} as const
/** The flags of what few rows have, in a byte of their own. */
export const RARE = {
  /** The place refutes the speed of the row itself. */
  refuted: 1 << 0,
} as const
/** The numbers of these rows, which come after all others, 6 bytes each. */
export const RARE_NUMBER = {
  repeatsSince: 1 << 1,
  speedSince: 1 << 2,
  startAt: 1 << 3,
  originAt: 1 << 4,
  groupSince: 1 << 5,
  groupCount: 1 << 6,
} as const
/** The bits of the flags that hold the number of the silence. */
export const SILENCE_BIT = 19
export const SILENCE_BITS = 15
export const FLAG_BYTES = 3
export const NUMBER_BYTES = 6

export const MAX_ROW_FOLD_BYTES =
  FLAG_BYTES +
  1 +
  NUMBER_BYTES * (Object.keys(NUMBER).length + Object.keys(RARE_NUMBER).length) +
  2 * MAX_READING_BYTES
const scratch = Buffer.alloc(MAX_ROW_FOLD_BYTES)

/** Packs the fold state after `fix`. */
export function packRowFold(fold: FoldState, fix: Fix): Buffer {
  const { at } = fold
  const rare = rareNumbers(fold)
  let flags = MOTIONS.indexOf(fold.motion) | (rare === null ? 0 : FLAG.rare)
  let end = firstNumberAt(flags)
  const put = (flag: number, value: number) => {
    flags |= flag
    end = writeUint48(scratch, end, value)
  }
  if (fold.suspect !== null) flags |= FLAG.suspect
  if (fold.joins) flags |= FLAG.joins
  if (fold.moved) flags |= FLAG.moved
  if (fold.parked) flags |= FLAG.parked
  if (fold.running) flags |= FLAG.running
  if (fold.anchor.time !== at) put(NUMBER.anchorAt, fold.anchor.time)
  if (fold.last.time !== at) put(NUMBER.lastAt, fold.last.time)
  if (fold.shown.time !== at) put(NUMBER.shownAt, fold.shown.time)
  if (fold.activeAt === at) flags |= FLAG.active
  else if (fold.activeAt !== null) put(NUMBER.activeAt, fold.activeAt)
  if (fold.tripFrom !== null) put(NUMBER.tripFrom, fold.tripFrom)
  if (fold.doubtedAt === at) flags |= FLAG.doubted
  else if (fold.doubtedAt !== null) put(NUMBER.doubtedAt, fold.doubtedAt)
  const odometer = fix.odometer === null ? null : scaled(fix.odometer, MICRO)
  const engineHours = fix.engineHours === null ? null : scaled(fix.engineHours, HOUR_MS)
  if (odometer !== null) put(NUMBER.odometer, odometer)
  if (engineHours !== null) put(NUMBER.engineHours, engineHours)
  if (fold.odometerReading !== null) {
    flags |= FLAG.odometerReading
    end = writeReading(scratch, end, fold.odometerReading, odometer, at)
  }
  if (fold.engineHoursReading !== null) {
    flags |= FLAG.engineHoursReading
    end = writeReading(scratch, end, fold.engineHoursReading, engineHours, at)
  }
  if (rare !== null) {
    let has = fold.last.time === at && isRefuted(fold.repeats, at) ? RARE.refuted : 0
    for (const [slot, number] of rare.entries()) {
      if (number === undefined || number === null) continue
      has |= RARE_FLAGS[slot]!
      end = writeUint48(scratch, end, number)
    }
    scratch[FLAG_BYTES] = has
  }
  if (fold.silence !== null) flags |= SILENCES.indexOf(fold.silence) << SILENCE_BIT
  scratch.writeUIntLE(flags, 0, FLAG_BYTES)
  return Buffer.from(scratch.subarray(0, end))
}

/** The rare flags of a packed fold state with these flags. */
export function rareFlagsIn(track: Uint8Array, flags: number, start = 0): number {
  return (flags & FLAG.rare) === 0 ? 0 : track[start + FLAG_BYTES]!
}

/** Where the numbers of a packed fold state with these flags begin. That of `NUMBER.anchorAt` is the first. */
export function firstNumberAt(flags: number, start = 0): number {
  return start + ((flags & FLAG.rare) === 0 ? FLAG_BYTES : FLAG_BYTES + 1)
}

const RARE_FLAGS = Object.values(RARE_NUMBER)

/** The numbers in the order of `RARE_NUMBER`. Null: the row has none of them, as nearly all rows. */
function rareNumbers({ repeats, start, origin, group }: FoldState) {
  if (repeats === null && start === null && origin === null && group === null) return null
  return [
    ...[repeats?.since, repeats?.speedSince, start?.time, origin?.time],
    ...[group?.since, group?.count],
  ]
}

/** Unpacks the record that is stored with the position at time `at`. */
export function unpackRowFold(bytes: Uint8Array, at: number): RowFold {
  const record = asBuffer(bytes)
  const flags = record.readUIntLE(0, FLAG_BYTES)
  const rare = rareFlagsIn(record, flags)
  let end = firstNumberAt(flags)
  const next = (): number => {
    end += NUMBER_BYTES
    return record.readUIntLE(end - NUMBER_BYTES, NUMBER_BYTES)
  }
  const take = (flag: number): number | null => ((flags & flag) === 0 ? null : next())
  const anchorAt = take(NUMBER.anchorAt) ?? at
  const lastAt = take(NUMBER.lastAt) ?? at
  const shownAt = take(NUMBER.shownAt) ?? at
  const activeAt = take(NUMBER.activeAt) ?? ((flags & FLAG.active) === 0 ? null : at)
  const tripFrom = take(NUMBER.tripFrom)
  const doubtedAt = take(NUMBER.doubtedAt) ?? ((flags & FLAG.doubted) === 0 ? null : at)
  const odometer = take(NUMBER.odometer)
  const engineHours = take(NUMBER.engineHours)
  const readings = readingsIn(record, end)
  const odometerReading = (flags & FLAG.odometerReading) === 0 ? null : readings.next(odometer, at)
  const engineHoursReading =
    (flags & FLAG.engineHoursReading) === 0 ? null : readings.next(engineHours, at)
  end = readings.end()
  const takeRare = (flag: number): number | null => ((rare & flag) === 0 ? null : next())
  const repeatsSince = takeRare(RARE_NUMBER.repeatsSince)
  const speedSince = takeRare(RARE_NUMBER.speedSince)
  const startAt = takeRare(RARE_NUMBER.startAt)
  const originAt = takeRare(RARE_NUMBER.originAt)
  const groupSince = takeRare(RARE_NUMBER.groupSince)
  const groupCount = takeRare(RARE_NUMBER.groupCount)
  return {
    motion: MOTIONS[flags & MOTION_BITS]!,
    suspect: (flags & FLAG.suspect) !== 0,
    joins: (flags & FLAG.joins) !== 0,
    repeats: repeatsSince === null ? null : { since: repeatsSince, speedSince },
    startAt,
    originAt,
    group: groupSince === null ? null : { since: groupSince, count: groupCount! },
    moved: (flags & FLAG.moved) !== 0,
    parked: (flags & FLAG.parked) !== 0,
    running: (flags & FLAG.running) !== 0,
    silence: SILENCES[(flags >>> SILENCE_BIT) & SILENCE_BITS]!,
    doubtedAt,
    anchorAt,
    lastAt,
    shownAt,
    activeAt,
    tripFrom,
    odometerReading,
    engineHoursReading,
    odometer: odometer === null ? null : odometer / MICRO,
    engineHours: engineHours === null ? null : engineHours / HOUR_MS,
  }
}

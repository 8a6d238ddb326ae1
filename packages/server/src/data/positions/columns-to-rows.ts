import {
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  OPTIONAL_BIT,
} from '../../base/domain/position/fix-record.ts'
import { FIX_NUMBERS, type PositionColumns } from '../../base/domain/position/position-columns.ts'
import { READING_FLAG } from '../../engine/tracking/packed-reading.ts'
import {
  FLAG,
  FLAG_BYTES,
  MAX_ROW_FOLD_BYTES,
  NUMBER,
  NUMBER_BYTES,
  type PositionRow,
  RARE_NUMBER,
} from '../../engine/tracking/stored-position.ts'
import { readRowAttributes, sectionBytes, writeRowSection } from './attribute-columns.ts'
import {
  AT,
  type BlockColumns,
  FIX_PLACES,
  IS_HIDDEN,
  OPTIONAL_ENDS,
  READING_BIT,
  READING_BITS,
  WORD,
} from './block-columns.ts'
import { startOf } from './column-bytes.ts'
import { OWN } from './rows-to-columns.ts'

/**
 * Writes the fix records of some rows one after the other, as pages of changes have them. Column by
 * column: no row becomes an object.
 */
export function fixRecords(columns: BlockColumns, rows: ArrayLike<number>): Buffer {
  const flags = columns.flags[WORD.fix]!
  const starts = new Int32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!
    starts[i + 1] = starts[i]! + recordBytes(columns, row, flags[row]!)
  }
  const out = Buffer.alloc(starts[rows.length]!)
  for (let i = 0; i < rows.length; i += 1) {
    writeFrame(out, starts[i]!, starts[i + 1]!, columns, rows[i]!, flags[rows[i]!]!)
  }
  for (const [index, { at, bytes, flag }] of FIX_NUMBERS.entries()) {
    const numbers = columns.numbers[FIX_PLACES[index]!]
    if (numbers === null || numbers === undefined) continue
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!
      if ((flags[row]! & flag) === flag) writeWhole(out, starts[i]! + at, bytes, numbers[row]!)
    }
  }
  return out
}

function recordBytes(columns: BlockColumns, row: number, flags: number): number {
  const bytes = addressAt(flags) + addressBytes(columns, row)
  if ((flags & FIX_FLAG.attributes) === 0) return bytes
  return bytes + sectionBytes(columns.attributes(), row)
}

/** Writes everything of a record but its numbers. */
function writeFrame(
  out: Buffer,
  start: number,
  end: number,
  columns: BlockColumns,
  row: number,
  flags: number,
) {
  const textAt = addressAt(flags)
  out[start + FIX_RECORD.length] = end - start
  out[start + FIX_RECORD.length + 1] = (end - start) >>> 8
  out[start + FIX_RECORD.version] = FIX_RECORD_VERSION
  out[start + FIX_RECORD.addressAt] = textAt
  out[start + FIX_RECORD.flags] = flags
  out[start + FIX_RECORD.flags + 1] = flags >>> 8
  if (textAt > FIX_RECORD.optional) out[start + FIX_RECORD.optional] = flags >>> OPTIONAL_BIT
  if ((flags & FIX_FLAG.attributes) !== 0) {
    const sectionAt = start + textAt + addressBytes(columns, row)
    writeRowSection(out, sectionAt, columns.attributes(), row)
  }
  if ((flags & FIX_FLAG.address) === 0) return
  const { numbers, addresses } = columns
  const place = numbers[AT.address]![row]!
  addresses.bytes.copy(out, start + textAt, startOf(addresses, place), addresses.ends[place]!)
}

/** Where the address begins: after the last optional number, or after the mask. */
function addressAt(flags: number): number {
  if (flags < 1 << OPTIONAL_BIT) return FIX_RECORD.optional
  let end: number = FIX_RECORD.optional + 1
  for (const optional of OPTIONAL_ENDS) if ((flags & optional.flag) !== 0) end = optional.end
  return end
}

function addressBytes({ flags, numbers, addresses }: BlockColumns, row: number): number {
  if ((flags[WORD.fix]![row]! & FIX_FLAG.address) === 0) return 0
  const place = numbers[AT.address]![row]!
  return addresses.ends[place]! - startOf(addresses, place)
}

/** Writes a whole number of up to 6 bytes, little-endian. */
function writeWhole(out: Uint8Array, at: number, bytes: number, value: number): void {
  out[at] = value
  if (bytes === 1) return
  out[at + 1] = value >> 8
  if (bytes === 2) return
  out[at + 2] = value >> 16
  out[at + 3] = value >> 24
  if (bytes === 4) return
  const high = Math.floor(value / 2 ** 32)
  out[at + 4] = high
  out[at + 5] = high >> 8
}

/** The packed fold state of a row. See `engine/tracking/stored-position.ts`. */
export function foldRecord({ flags, numbers }: BlockColumns, row: number): Buffer {
  const fold = flags[WORD.fold]![row]!
  const readings = flags[WORD.readings]![row]!
  const rare = readings >>> READING_BIT.rare
  const out = Buffer.alloc(MAX_ROW_FOLD_BYTES)
  out.writeUIntLE(fold, 0, FLAG_BYTES)
  // Unless a row has rare flags, the next number overwrites the byte.
  out[FLAG_BYTES] = rare
  let end = rare === 0 ? FLAG_BYTES : FLAG_BYTES + 1
  const put = (place: number) => {
    writeWhole(out, end, NUMBER_BYTES, numbers[place]![row]!)
    end += NUMBER_BYTES
  }
  FOLD_FLAGS.forEach((flag, slot) => {
    if ((fold & flag) !== 0) put(AT.fold[slot]!)
  })
  const putReading = (first: number, bit: number) => {
    const reading = ((readings >>> bit) & ((1 << READING_BITS) - 1)) ^ OWN
    out[end] = reading
    end += 1
    if ((reading & READING_FLAG.ownValue) === 0) put(first)
    if ((reading & READING_FLAG.grewHere) === 0) put(first + 1)
    if ((reading & READING_FLAG.doubted) !== 0) {
      put(first + 2)
      put(first + 3)
    }
    if ((reading & READING_FLAG.before) !== 0) for (let i = 4; i < 8; i += 1) put(first + i)
  }
  if ((fold & FLAG.odometerReading) !== 0)
    putReading(AT.odometerReading, READING_BIT.odometerReading)
  if ((fold & FLAG.engineHoursReading) !== 0) {
    putReading(AT.engineHoursReading, READING_BIT.engineHoursReading)
  }
  RARE_FLAGS.forEach((flag, slot) => {
    if ((rare & flag) !== 0) put(AT.rare[slot]!)
  })
  return out.subarray(0, end)
}

const FOLD_FLAGS = Object.values(NUMBER)
const RARE_FLAGS = Object.values(RARE_NUMBER)

/** The rows as answers read them, in the memory of the columns. */
export function positionColumns(columns: BlockColumns): PositionColumns {
  const { rows, flags, numbers, addresses, attributes } = columns
  const addressOf = (row: number) => numbers[AT.address]![row]!
  return {
    rows,
    flags: flags[WORD.fix]!,
    numbers: FIX_PLACES.map((place) => numbers[place]!),
    addresses: {
      bytes: addresses.bytes,
      startOf: (row) => startOf(addresses, addressOf(row)),
      endOf: (row) => addresses.ends[addressOf(row)]!,
    },
    readAttributes: (row, take) => readRowAttributes(attributes(), row, take),
  }
}

/** A row as the fold reads it. */
export function rowAt(columns: BlockColumns, row: number): PositionRow {
  const isHidden = (columns.flags[WORD.readings]![row]! & IS_HIDDEN) !== 0
  return {
    fix: fixRecords(columns, [row]),
    track: foldRecord(columns, row),
    change: columns.numbers[AT.change]![row]!,
    hidden: isHidden ? columns.numbers[AT.hidden]![row]! : null,
  }
}

import { uint24At, uint48At } from '../../base/domain/common/packed-numbers.ts'
import { FIX_FLAG } from '../../base/domain/position/fix-record.ts'
import { columnsOfRecords } from '../../base/domain/position/position-columns.ts'
import { READING_FLAG } from '../../engine/tracking/packed-reading.ts'
import {
  FLAG,
  firstNumberAt,
  NUMBER,
  NUMBER_BYTES,
  type PositionRow,
  RARE_NUMBER,
  rareFlagsIn,
} from '../../engine/tracking/stored-position.ts'
import { attributeCollector } from './attribute-columns.ts'
import {
  AT,
  type BlockColumns,
  COLUMNS,
  FIX_PLACES,
  IS_HIDDEN,
  KNOWN_FLAGS,
  KNOWN_WORDS,
  READING_BIT,
  WORD,
} from './block-columns.ts'
import { dictionary } from './column-bytes.ts'

const FOLD_FLAGS = Object.values(NUMBER)
const RARE_FLAGS = Object.values(RARE_NUMBER)

/**
 * Takes rows of one object apart. Throws a RangeError for a row with fields that this version does not know: a newer
 * version has to pack it.
 */
export function columnsOf(rows: readonly PositionRow[]): BlockColumns {
  const fixes = columnsOfRecords(Buffer.concat(rows.map(({ fix }) => fix)))
  const [fold, readings] = [new Int32Array(rows.length), new Int32Array(rows.length)]
  const flags = [fixes.flags.subarray(0, rows.length), fold, readings]
  const numbers = new Numbers(rows.length)
  for (const [index, place] of FIX_PLACES.entries()) numbers.all[place] = fixes.numbers[index]!
  const addresses = dictionary()
  const collected = attributeCollector(rows.length)
  for (let row = 0; row < rows.length; row += 1) {
    const { fix, track, change, hidden } = rows[row]!
    const known = fixes.flags[row]!
    if ((known & ~KNOWN_FLAGS) !== 0) throw unknownFields()
    if ((known & FIX_FLAG.address) !== 0) {
      const { bytes, startOf, endOf } = fixes.addresses
      const address = bytes.subarray(startOf(row), endOf(row))
      numbers.put(AT.address, row, addresses.placeOf(address))
    }
    if ((known & FIX_FLAG.attributes) !== 0) {
      const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
      collected.take(record, record.length, row)
    }
    readings[row] = takeFold(track, row, fold, numbers)
    if ((readings[row]! & ~KNOWN_WORDS[WORD.readings]!) !== 0) throw unknownFields()
    numbers.put(AT.change, row, change)
    if (hidden === null) continue
    readings[row]! |= IS_HIDDEN
    numbers.put(AT.hidden, row, hidden)
  }
  const attributes = collected.columns()
  return {
    ...{ rows: rows.length, flags, numbers: numbers.all },
    addresses: addresses.joined(),
    attributes: () => attributes,
  }
}

function unknownFields(): RangeError {
  return new RangeError('a position has unknown fields')
}

/** The numbers of rows, by the places of their columns. A column is made for the first row that has a number in it. */
class Numbers {
  readonly all = COLUMNS.map((): Float64Array | null => null)
  private readonly rows: number

  constructor(rows: number) {
    this.rows = rows
  }

  put(place: number, row: number, number: number): void {
    this.all[place] ??= new Float64Array(this.rows)
    this.all[place][row] = number
  }
}

/** Takes a packed fold state apart. Returns the flags of its readings, and its rare ones. */
function takeFold(track: Uint8Array, row: number, foldFlags: Int32Array, numbers: Numbers): number {
  const flags = uint24At(track, 0)
  foldFlags[row] = flags
  const rare = rareFlagsIn(track, flags)
  let end = firstNumberAt(flags)
  const take = (place: number) => {
    numbers.put(place, row, uint48At(track, end))
    end += NUMBER_BYTES
  }
  for (let slot = 0; slot < FOLD_FLAGS.length; slot += 1) {
    if ((flags & FOLD_FLAGS[slot]!) !== 0) take(AT.fold[slot]!)
  }
  let readings = rare << READING_BIT.rare
  const takeReading = (first: number, bit: number) => {
    const reading = track[end]!
    end += 1
    if ((reading & READING_FLAG.ownValue) === 0) take(first)
    if ((reading & READING_FLAG.grewHere) === 0) take(first + 1)
    if ((reading & READING_FLAG.doubted) !== 0) {
      take(first + 2)
      take(first + 3)
    }
    if ((reading & READING_FLAG.before) !== 0) for (let i = 4; i < 8; i += 1) take(first + i)
    readings |= (reading ^ OWN) << bit
  }
  if ((flags & FLAG.odometerReading) !== 0)
    takeReading(AT.odometerReading, READING_BIT.odometerReading)
  if ((flags & FLAG.engineHoursReading) !== 0) {
    takeReading(AT.engineHoursReading, READING_BIT.engineHoursReading)
  }
  for (let slot = 0; slot < RARE_FLAGS.length && rare !== 0; slot += 1) {
    if ((rare & RARE_FLAGS[slot]!) !== 0) take(AT.rare[slot]!)
  }
  return readings
}

/** The flags of a reading that a block turns over: there they say that the row has a number. */
export const OWN = READING_FLAG.ownValue | READING_FLAG.grewHere

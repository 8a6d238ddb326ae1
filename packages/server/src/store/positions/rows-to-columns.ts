import { int32At, uint24At, uint48At } from '../../domain/common/packed-numbers.ts'
import {
  addressEnd,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  flagsAt,
  unknownVersion,
} from '../../domain/position/fix-record.ts'
import { READING_FLAG } from '../../tracking/packed-reading.ts'
import {
  FLAG,
  FLAG_BYTES,
  NUMBER,
  NUMBER_BYTES,
  type PositionRow,
} from '../../tracking/stored-position.ts'
import { attributeCollector } from './attribute-columns.ts'
import { dictionary } from './column-bytes.ts'
import {
  AT,
  type BlockColumns,
  COLUMNS,
  FIX_NUMBERS,
  type FixNumber,
  IS_HIDDEN,
  KNOWN_FLAGS,
  READING_BIT,
  WORD,
  WORDS,
} from './columns.ts'

const FOLD_FLAGS = Object.values(NUMBER)

/**
 * Takes rows of one object apart. Throws a RangeError for a row with fields that this version does not know: a newer
 * version has to pack it.
 */
export function columnsOf(rows: readonly PositionRow[]): BlockColumns {
  const flags = Array.from({ length: WORDS }, () => new Int32Array(rows.length))
  const numbers = new Numbers(rows.length)
  const addresses = dictionary()
  const collected = attributeCollector(rows.length)
  let present = 0
  for (let row = 0; row < rows.length; row += 1) {
    const { fix, track, change, hidden } = rows[row]!
    if (fix[FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const fixFlags = flagsAt(fix, 0)
    if ((fixFlags & ~KNOWN_FLAGS) !== 0) throw new RangeError('a position has unknown fields')
    flags[WORD.fix]![row] = fixFlags
    present |= fixFlags
    if ((fixFlags & (FIX_FLAG.address | FIX_FLAG.attributes)) !== 0) {
      const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
      if ((fixFlags & FIX_FLAG.address) !== 0) {
        const end = addressEnd(record, record.length, fixFlags)
        const address = record.subarray(record[FIX_RECORD.addressAt]!, end)
        numbers.put(AT.address, row, addresses.placeOf(address))
      }
      if ((fixFlags & FIX_FLAG.attributes) !== 0) collected.take(record, record.length, row)
    }
    flags[WORD.readings]![row] = takeFold(track, row, flags[WORD.fold]!, numbers)
    numbers.put(AT.change, row, change)
    if (hidden === null) continue
    flags[WORD.readings]![row]! |= IS_HIDDEN
    numbers.put(AT.hidden, row, hidden)
  }
  for (const number of FIX_NUMBERS) {
    if ((present & number.flag) === number.flag) takeNumber(rows, flags[WORD.fix]!, number, numbers)
  }
  const attributes = collected.columns()
  return {
    ...{ rows: rows.length, flags, numbers: numbers.all },
    addresses: addresses.joined(),
    attributes: () => attributes,
  }
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

/** Takes one number of the fix records. */
function takeNumber(
  rows: readonly PositionRow[],
  flags: Int32Array,
  { place, at, bytes, isSigned, flag }: FixNumber,
  numbers: Numbers,
): void {
  for (let row = 0; row < rows.length; row += 1) {
    if ((flags[row]! & flag) !== flag) continue
    const number = wholeAt(rows[row]!.fix, at, bytes)
    numbers.put(place, row, isSigned ? number | 0 : number)
  }
}

/** A whole number of up to 6 bytes, little-endian. */
function wholeAt(record: Uint8Array, at: number, bytes: number): number {
  if (bytes === 1) return record[at]!
  if (bytes === 2) return record[at]! | (record[at + 1]! << 8)
  return bytes === 4 ? int32At(record, at) >>> 0 : uint48At(record, at)
}

/** Takes a packed fold state apart. Returns the flags of its readings. */
function takeFold(track: Uint8Array, row: number, foldFlags: Int32Array, numbers: Numbers): number {
  const flags = uint24At(track, 0)
  foldFlags[row] = flags
  let end = FLAG_BYTES
  const take = (place: number) => {
    numbers.put(place, row, uint48At(track, end))
    end += NUMBER_BYTES
  }
  for (let slot = 0; slot < FOLD_FLAGS.length; slot += 1) {
    if ((flags & FOLD_FLAGS[slot]!) !== 0) take(AT.fold[slot]!)
  }
  let readings = 0
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
  return readings
}

/** The flags of a reading that a block turns over: there they say that the row has a number. */
export const OWN = READING_FLAG.ownValue | READING_FLAG.grewHere

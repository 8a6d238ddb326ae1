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
import {
  AT,
  type BlockColumns,
  COLUMNS,
  IS_HIDDEN,
  isAbsent,
  READING_BIT,
  WORD,
  WORDS,
} from './columns.ts'
import { FIX_NUMBERS, KNOWN_FLAGS } from './fix-numbers.ts'
import { joinTexts } from './texts.ts'

const FOLD_FLAGS = Object.values(NUMBER)

/**
 * Takes rows of one object apart. Throws a RangeError for a row with fields that this version does not know: a newer
 * version has to pack it.
 */
export function columnsOf(rows: readonly PositionRow[]): BlockColumns {
  const flags = Array.from({ length: WORDS }, () => new Int32Array(rows.length))
  const all = COLUMNS.map(() => new Float64Array(rows.length))
  const addresses = dictionary()
  const attributes = attributeCollector(rows.length)
  for (let row = 0; row < rows.length; row += 1) {
    const { fix, track, change, hidden } = rows[row]!
    const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
    if (record[FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const fixFlags = flagsAt(record, 0)
    if ((fixFlags & ~KNOWN_FLAGS) !== 0) throw new RangeError('a position has unknown fields')
    flags[WORD.fix]![row] = fixFlags
    for (const { place, at, bytes, isSigned, flag } of FIX_NUMBERS) {
      if ((fixFlags & flag) !== flag) continue
      all[place]![row] = isSigned ? record.readIntLE(at, bytes) : record.readUIntLE(at, bytes)
    }
    if ((fixFlags & FIX_FLAG.address) !== 0) {
      const end = addressEnd(record, record.length, fixFlags)
      all[AT.address]![row] = addresses.placeOf(record.subarray(record[FIX_RECORD.addressAt]!, end))
    }
    if ((fixFlags & FIX_FLAG.attributes) !== 0) attributes.take(record, record.length, row)
    flags[WORD.readings]![row] = takeFold(track, row, flags[WORD.fold]!, all)
    all[AT.change]![row] = change
    if (hidden === null) continue
    flags[WORD.readings]![row]! |= IS_HIDDEN
    all[AT.hidden]![row] = hidden
  }
  const numbers = all.map((column, place) => (isAbsent(COLUMNS[place]!, flags) ? null : column))
  return {
    ...{ rows: rows.length, flags, numbers },
    addresses: joinTexts(addresses.texts),
    attributes: attributes.columns(),
  }
}

/** Takes a packed fold state apart. Returns the flags of its readings. */
function takeFold(
  track: Uint8Array,
  row: number,
  foldFlags: Int32Array,
  numbers: readonly Float64Array[],
): number {
  const record = Buffer.from(track.buffer, track.byteOffset, track.byteLength)
  const flags = record.readUIntLE(0, FLAG_BYTES)
  foldFlags[row] = flags
  let end = FLAG_BYTES
  const take = (place: number) => {
    numbers[place]![row] = record.readUIntLE(end, NUMBER_BYTES)
    end += NUMBER_BYTES
  }
  for (let slot = 0; slot < FOLD_FLAGS.length; slot += 1) {
    if ((flags & FOLD_FLAGS[slot]!) !== 0) take(AT.fold[slot]!)
  }
  let readings = 0
  const takeReading = (first: number, bit: number) => {
    const reading = record[end]!
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

/** Distinct texts in the order of their first rows. */
function dictionary() {
  const places = new Map<string, number>()
  const texts: Uint8Array[] = []
  function placeOf(text: Buffer): number {
    const key = text.toString('latin1')
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, texts.length)
    return texts.push(text) - 1
  }
  return { placeOf, texts }
}

import { FIX_RECORD } from '../../domain/position/fix-record.ts'
import type { Shift } from '../../tracking/object-shifts.ts'
import { FLAG_BYTES } from '../../tracking/stored-position.ts'
import { readTrackRows, type TrackRow } from '../../tracking/track-row.ts'
import { IS_HIDDEN, WORD } from './columns.ts'
import { fixRecords } from './columns-to-rows.ts'
import { readColumns, type StoredBlock, type Stretch } from './stored-blocks.ts'

/** The bytes before each row, and the flags of its fold state, which are all that a derivation reads of it. */
const HEAD_BYTES = 2
const MORE_BYTES = HEAD_BYTES + FLAG_BYTES

/** The rows of a block as the derivation of records reads them, with the shifts of the object. `limit`: as for `unpackRows`. */
export function packedTrackRows(
  block: StoredBlock,
  stretch: Stretch,
  limit: number,
  shifts: readonly Shift[],
): TrackRow[] {
  const { columns, places } = readColumns(block, stretch, limit, true)
  const records = fixRecords(columns, places)
  const out = Buffer.allocUnsafe(records.length + places.length * MORE_BYTES)
  let [at, end] = [0, 0]
  for (const place of places) {
    const length = records.readUInt16LE(at + FIX_RECORD.length)
    out[end] = (columns.flags[WORD.readings]![place]! & IS_HIDDEN) === 0 ? 1 : 0
    out[end + 1] = FLAG_BYTES
    records.copy(out, end + HEAD_BYTES, at, at + length)
    at += length
    end += HEAD_BYTES + length
    end = out.writeUIntLE(columns.flags[WORD.fold]![place]!, end, FLAG_BYTES)
  }
  return readTrackRows(out, shifts)
}

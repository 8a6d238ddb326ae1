import { MEASURES } from '../../domain/position/field-lists.ts'
import { FIX_FLAG } from '../../domain/position/fix-record.ts'
import type { Shift } from '../../tracking/object-shifts.ts'
import { type TrackRow, trackRowMaker } from '../../tracking/track-row.ts'
import { readRowAttributes } from './attribute-columns.ts'
import { textAt } from './column-bytes.ts'
import { AT, IS_HIDDEN, WORD, withReferences } from './columns.ts'
import { readColumns, type StoredBlock, type Stretch } from './stored-blocks.ts'

const SPEED = AT.measures[MEASURES.findIndex(({ flag }) => flag === FIX_FLAG.speed)]!

const TRACK_COLUMNS: ReadonlySet<number> = new Set([
  ...withReferences([AT.time, AT.latitude, AT.longitude, SPEED, AT.odometer, AT.engineHours]),
  AT.address,
])

/** The rows of a block as the derivation of records reads them, with the shifts of the object. `limit`: as for `unpackRows`. */
export function packedTrackRows(
  block: StoredBlock,
  stretch: Stretch,
  limit: number,
  shifts: readonly Shift[],
): TrackRow[] {
  const { columns, places } = readColumns(block, stretch, limit, TRACK_COLUMNS)
  const { numbers, addresses, attributes } = columns
  const [fix, fold, readings] = [WORD.fix, WORD.fold, WORD.readings].map((at) => columns.flags[at]!)
  const rowOf = trackRowMaker(shifts)
  const numberOf = (column: number, row: number) => numbers[column]?.[row] ?? 0
  return places.map((row) => {
    const flags = fix![row]!
    return rowOf({
      time: numberOf(AT.time, row),
      flags,
      state: fold![row]!,
      latitude: numberOf(AT.latitude, row),
      longitude: numberOf(AT.longitude, row),
      speed: numberOf(SPEED, row),
      odometer: numberOf(AT.odometer, row),
      engineHours: numberOf(AT.engineHours, row),
      isShown: (readings![row]! & IS_HIDDEN) === 0,
      address:
        (flags & FIX_FLAG.address) === 0 ? null : textAt(addresses, numberOf(AT.address, row)),
      attributes:
        (flags & FIX_FLAG.attributes) === 0
          ? null
          : (take) => readRowAttributes(attributes(), row, take),
    })
  })
}

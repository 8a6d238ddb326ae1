import type { DatabaseSync } from 'node:sqlite'
import type { PositionRow } from '../../../fold/stored-position.ts'
import { readTrackRows, rowBlock, type TrackRow } from '../../../fold/track-row.ts'
import { shiftReader } from '../positions/fold-tables.ts'

/** All whole numbers of one byte, as a literal. Its parts turn numbers into bytes. */
const BYTES = `x'${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}'`

/** A block of rows, as `readTrackRows` takes it. */
const BLOCK = `
  SELECT CAST(group_concat(
    iif(hidden IS NULL, x'01', x'00') || substr(${BYTES}, ifnull(length(track), 0) + 1, 1)
      || fix || ifnull(track, ''), '') AS BLOB) AS block
  FROM (
    SELECT fix, track, hidden FROM positions
    WHERE organization = ? AND object = ? AND time_device > ? ORDER BY time_device LIMIT ?
  )`

/** Few rows are read one by one: joining them in SQLite takes 25 µs before the first one. */
const MAX_SINGLE_ROWS = 16
const ROWS = `
  SELECT fix, track, hidden FROM positions
  WHERE organization = ? AND object = ? AND time_device > ? ORDER BY time_device LIMIT ?`

type Row = Pick<PositionRow, 'fix' | 'track' | 'hidden'>

/** The first rows of an object after a moment, with all shifts. Calls are part of a transaction. */
export function trackRows(
  connection: DatabaseSync,
): (organization: number, object: number, after: number, limit: number) => TrackRow[] {
  const shiftsOf = shiftReader(connection)
  const readBlock = connection.prepare(BLOCK)
  const readRows = connection.prepare(ROWS)
  return (organization, object, after, limit) => {
    const values = [organization, object, after, limit] as const
    const block =
      limit <= MAX_SINGLE_ROWS
        ? rowBlock(readRows.all(...values) as Row[])
        : (readBlock.get(...values)!.block as Uint8Array | null)
    const isEmpty = block === null || block.length === 0
    return isEmpty ? [] : readTrackRows(block, shiftsOf(organization, object).all)
  }
}

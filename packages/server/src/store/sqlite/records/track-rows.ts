import type { DatabaseSync } from 'node:sqlite'
import { readTrackRows, type TrackRow } from '../../../fold/track-row.ts'
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

/** The first rows of an object after a moment, with all shifts. Calls are part of a transaction. */
export function trackRows(
  connection: DatabaseSync,
): (organization: number, object: number, after: number, limit: number) => TrackRow[] {
  const shiftsOf = shiftReader(connection)
  const read = connection.prepare(BLOCK)
  return (organization, object, after, limit) => {
    const block = read.get(organization, object, after, limit)!.block as Uint8Array | null
    return block === null ? [] : readTrackRows(block, shiftsOf(organization, object).all)
  }
}

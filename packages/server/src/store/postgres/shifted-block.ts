import { FIX_RECORD, readCounters, writeCounters } from '../../domain/fix-record.ts'
import { unpackTrack } from '../../domain/track-record.ts'
import { objectShifts, type Shift } from '../folding/object-shifts.ts'
import { booleanOf, type Field } from './binary-copy.ts'
import { statement } from './statement.ts'

const NO_TRACK = -1

/** Shown as of the change with the number `$5`. */
export const STANDING = '(change <= $5 AND (hidden IS NULL OR hidden > $5))'

/**
 * The shown rows of a stretch of an object with shifts, and the shifts themselves. One statement reads
 * both, because a shift moves when rows are rewritten.
 */
export const READ_SHIFTED_BLOCK = statement(`
  SELECT
    EXISTS (SELECT FROM objects WHERE organization = $1 AND id = $2),
    (SELECT string_agg(int8send(from_time) || int8send(odometer) || int8send(engine_hours), ''
        ORDER BY from_time)
      FROM counter_shifts WHERE organization = $1 AND object = $2),
    string_agg(fix, ''),
    string_agg(int2send(coalesce(octet_length(track), ${NO_TRACK})::int2) || coalesce(track, ''), '')
  FROM (
    SELECT fix, track FROM positions
    WHERE organization = $1 AND object = $2 AND time_device > $3 AND time_device <= $4
      AND ${STANDING}
    ORDER BY time_device
  ) AS stretch`)

/** Joins the records and applies the shifts to their counters. Null if there are none. */
export function shiftedBlock([known, shifts, records, tracks]: Field[]) {
  if (records == null || tracks == null) return { known: booleanOf(known), block: null }
  const applying = objectShifts(shifts == null ? [] : shiftsOf(shifts))
  let trackAt = 0
  for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
    const trackBytes = tracks.readInt16BE(trackAt)
    trackAt += 2
    if (trackBytes === NO_TRACK) continue
    const time = records.readUIntLE(at + FIX_RECORD.timeDevice, 6)
    const { tripFrom } = unpackTrack(tracks.subarray(trackAt, trackAt + trackBytes), time)
    trackAt += trackBytes
    writeCounters(records, applying.shown(readCounters(records, at), time, tripFrom), at)
  }
  return { known: booleanOf(known), block: records }
}

function shiftsOf(joined: Buffer): Shift[] {
  const shifts: Shift[] = []
  for (let at = 0; at < joined.length; at += 24) {
    const number = (offset: number) => Number(joined.readBigInt64BE(at + offset))
    shifts.push({ from: number(0), odometer: number(8), engineHours: number(16) })
  }
  return shifts
}

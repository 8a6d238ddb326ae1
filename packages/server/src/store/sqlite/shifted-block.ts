import type { DatabaseSync } from 'node:sqlite'
import { readCounters, writeCounters } from '../../domain/fix-record.ts'
import { unpackTrack } from '../../domain/track-record.ts'
import { shiftReader } from './counter-shifts.ts'

type Row = { time: number; fix: Uint8Array; track: Uint8Array | null }

/**
 * Reads the shown rows of a block of an object with shifts, row by row with the shifts that apply. In one
 * transaction, because a shift moves when rows are rewritten.
 */
export function shiftedBlockReader(reader: DatabaseSync, standing: string) {
  const begin = reader.prepare('BEGIN')
  const end = reader.prepare('COMMIT')
  const shiftsOf = shiftReader(reader)
  const rows = reader.prepare(`
    SELECT time_device AS time, fix, track FROM positions
    WHERE organization = ?1 AND object = ?2 AND time_device > ?3 AND time_device <= ?4 AND ${standing}
    ORDER BY time_device
  `)

  return (
    organization: number,
    object: number,
    after: number,
    last: number,
    snapshot: number,
  ): Uint8Array | null => {
    begin.run()
    try {
      const applying = shiftsOf(organization, object)
      const block = rows.all(organization, object, after, last, snapshot) as Row[]
      if (block.length === 0) return null
      return Buffer.concat(
        block.map(({ time, fix, track }) => {
          const record = Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength)
          if (track === null) return record
          const { tripFrom } = unpackTrack(track, time)
          writeCounters(record, applying.shown(readCounters(record), time, tripFrom))
          return record
        }),
      )
    } finally {
      end.run()
    }
  }
}

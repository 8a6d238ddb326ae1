import type { DatabaseSync } from 'node:sqlite'
import { type ShownRow, shownRecord } from '../../shown-record.ts'
import { shiftReader } from './fold-tables.ts'

/**
 * Reads the shown rows of a block of an object with shifts, row by row with the shifts that apply. In one
 * transaction, because a shift moves when rows are rewritten.
 */
export function shiftedBlockReader(reader: DatabaseSync, isShown: string) {
  const begin = reader.prepare('BEGIN')
  const end = reader.prepare('COMMIT')
  const shiftsOf = shiftReader(reader)
  const rows = reader.prepare(`
    SELECT time_device AS time, fix, track FROM positions
    WHERE organization = ?1 AND object = ?2 AND time_device > ?3 AND time_device <= ?4 AND ${isShown}
    ORDER BY time_device
  `)

  return (
    organization: number,
    object: number,
    after: number,
    last: number,
    asOf: number,
  ): Uint8Array | null => {
    begin.run()
    try {
      const applying = shiftsOf(organization, object)
      const block = rows.all(organization, object, after, last, asOf) as ShownRow[]
      if (block.length === 0) return null
      return Buffer.concat(block.map((row) => shownRecord(row, applying)))
    } finally {
      end.run()
    }
  }
}

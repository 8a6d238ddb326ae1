import { FIX_RECORD } from '../../base/domain/position/fix-record.ts'
import type { Dialect, Sql, Value, WrittenColumns } from '../tables/sql.ts'
import type { StoredRow } from './stored-blocks.ts'

/** A row that is added, or that takes the place of that of its time. */
export type WrittenRow = StoredRow & { object: number; isNew: boolean }

const ROW: WrittenColumns = {
  ...{ object: 'bigint', time_device: 'bigint', change: 'bigint', hidden: 'bigint' },
  ...{ fix: 'bytea', track: 'bytea' },
}

/** Writes rows into the table of positions, each once. */
export function positionWriter(dialect: Pick<Dialect, 'rowWriter' | 'rowReplacer'>) {
  const add = dialect.rowWriter('positions', ROW)
  const replace = dialect.rowReplacer('positions', ['object', 'time_device'], ROW)
  return {
    write(sql: Sql, organization: number, rows: readonly WrittenRow[]): void {
      const [added, replaced]: Value[][][] = [[], []]
      for (const row of rows) (row.isNew ? added! : replaced!).push(valuesOf(row.object, row))
      add(sql, organization, added!)
      replace(sql, organization, replaced!)
    },
    /** Rows of one object. They take the place of those of their times. */
    put(sql: Sql, organization: number, object: number, rows: readonly StoredRow[]): void {
      const values = rows.map((row) => valuesOf(object, row))
      replace(sql, organization, values)
    },
  }
}

function valuesOf(object: number, { time, change, hidden, fix, track }: StoredRow): Value[] {
  return [object, time, change, hidden, fix, track]
}

/** The places in the form of `packedRow`: its change, the change that hid it, the length of its fold state, fix and track. */
const AT = { change: 0, hidden: 8, trackLength: 16, fix: 20 } as const

/** The rows of joined values. Null: none. */
export function unpackedRows(joined: Uint8Array | null): StoredRow[] {
  const rows: StoredRow[] = []
  if (joined === null) return rows
  const packed = Buffer.from(joined.buffer, joined.byteOffset, joined.byteLength)
  for (let at = 0; at < packed.length; ) {
    const start = at + AT.fix
    const length = packed.readUInt16LE(start + FIX_RECORD.length)
    const trackLength = packed.readInt32BE(at + AT.trackLength)
    const hidden = int8At(packed, at + AT.hidden)
    const change = int8At(packed, at + AT.change)
    const end = start + length
    at = end + trackLength
    rows.push({
      time: packed.readUIntLE(start + FIX_RECORD.timeDevice, 6),
      change,
      hidden: hidden < 0 ? null : hidden,
      fix: packed.subarray(start, end),
      track: packed.subarray(end, at),
    })
  }
  return rows
}

function int8At(packed: Buffer, at: number): number {
  return packed.readInt32BE(at) * 2 ** 32 + packed.readUInt32BE(at + 4)
}

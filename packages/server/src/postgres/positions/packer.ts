import type { PositionStore } from '../../store/position-store.ts'
import {
  BEGINNING,
  BLOCK_ROWS,
  minRows,
  type PackTables,
  packNext,
  packSlice,
} from '../../store/positions/packing.ts'
import type { StoredRow, Stretch } from '../../store/positions/stored-blocks.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { runAwaiting, type Work } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import type { OrganizationWrites } from '../organization-writes.ts'
import { packTables } from './position-blocks.ts'

const SLICE_OBJECTS = 50

const SLICE = statement(`
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT ${SLICE_OBJECTS}`)
/** An object, the first one that is found, that has enough rows, or rows that a block follows. */
const DUE = statement(`
  SELECT id FROM unnest($2::int8[]) AS objects (id)
  WHERE EXISTS (
    SELECT FROM positions WHERE organization = $1 AND object = id AND time_device < $3
    ORDER BY time_device OFFSET $4 - 1
  ) OR EXISTS (
    SELECT FROM position_blocks WHERE organization = $1 AND object = id AND first_time > (
      SELECT time_device FROM positions
      WHERE organization = $1 AND object = id AND time_device < $3 AND hidden IS NULL
      ORDER BY time_device LIMIT 1
    )
  )
  LIMIT 1`)

const IS_KNOWN = statement('SELECT 1 FROM objects WHERE organization = $1 AND id = $2')

/** The blocks of a slice are one transaction, for which other writes to the organization wait some 20 ms. */
export function packer(reading: Connection, { write }: OrganizationWrites): PositionStore['pack'] {
  const packObject = (organization: number, object: number, before: number, blockRows: number) =>
    write(organization, async (connection) => {
      // Deletion takes the same lock: blocks of a deleted object would never be removed.
      const known = await connection.query(IS_KNOWN, [organization, object])
      if (known.length === 0) return { packed: 0, isDone: true }
      const tables = readingAhead(packTables(connection, organization, object), blockRows)
      const owner = { organization, object }
      return runAwaiting(packSlice((after) => packNext(tables, owner, after, before, blockRows)))
    })

  return async (organization, before, after, blockRows = BLOCK_ROWS) => {
    const slice = await reading.query<{ id: number }>(SLICE, [organization, after])
    const ids = slice.map(({ id }) => id)
    const [due] = await reading.query<{ id: number }>(DUE, [
      organization,
      ids,
      before,
      minRows(blockRows),
    ])
    if (due === undefined) {
      return { packed: 0, next: ids.length < SLICE_OBJECTS ? null : ids.at(-1)! }
    }
    try {
      const done = await packObject(organization, due.id, before, blockRows)
      if (done === null) return { packed: 0, next: null }
      return { packed: done.packed, next: done.isDone ? due.id : due.id - 1 }
    } catch (failure) {
      if (failure instanceof StoreUnavailable) throw failure
      return { packed: 0, next: due.id, failure }
    }
  }
}

/** Reads the rows of a step by one statement: it asks for the first one, then whether there are enough, then for all. */
function readingAhead(tables: PackTables, count: number): PackTables {
  let [from, rows]: [from: number, rows: StoredRow[]] = [BEGINNING, []]
  function* first({ after, to }: Stretch, limit: number): Work<StoredRow[]> {
    const isRead = from <= after && after < (rows[0]?.time ?? from)
    if (!isRead) [from, rows] = [after, yield* tables.rows.first({ after, to }, count)]
    return rows.filter(({ time }) => time <= to).slice(0, limit)
  }
  return {
    ...tables,
    rows: { first },
    *hasRows(stretch, wanted) {
      return (yield* first(stretch, wanted)).length >= wanted
    },
  }
}

import { runAtOnce, runAwaiting, waitFor } from '../../../tracking/work.ts'
import type { PositionStore } from '../../position-store.ts'
import { BLOCK_ROWS, minRows, packNext, packSlice } from '../../positions/packing.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Database } from '../database/database.ts'
import { packTables } from './position-blocks.ts'

const SLICE_OBJECTS = 50

export function packer(database: Database): PositionStore['pack'] {
  const { reader, writer } = database
  const slice = reader.prepare(`
    SELECT id FROM objects WHERE organization = ?1 AND id > ?2 ORDER BY id LIMIT ${SLICE_OBJECTS}`)
  /** The object has enough rows, or rows that a block follows. */
  const isDue = reader.prepare(`
    SELECT 1 WHERE EXISTS (
      SELECT 1 FROM positions WHERE organization = ?1 AND object = ?2 AND time_device < ?3
      ORDER BY time_device LIMIT 1 OFFSET ?4 - 1
    ) OR EXISTS (
      SELECT 1 FROM position_blocks WHERE organization = ?1 AND object = ?2 AND first_time > (
        SELECT time_device FROM positions
        WHERE organization = ?1 AND object = ?2 AND time_device < ?3 AND hidden IS NULL
        ORDER BY time_device LIMIT 1
      )
    )`)
  const tablesOf = packTables(writer)

  /** Each block is a transaction of its own, so others write in between. */
  function packObject(organization: number, object: number, before: number, blockRows: number) {
    const tables = tablesOf(organization, object)
    const owner = { organization, object }
    const step = (after: number) =>
      waitFor(database.write(() => runAtOnce(packNext(tables, owner, after, before, blockRows))))
    return runAwaiting(packSlice(step))
  }

  return async (organization, before, after, blockRows = BLOCK_ROWS) => {
    const [ids, due] = database.read(() => {
      const ids = (slice.all(organization, after) as { id: number }[]).map(({ id }) => id)
      return [
        ids,
        ids.find((id) => isDue.get(organization, id, before, minRows(blockRows)) !== undefined),
      ]
    })
    if (due === undefined) {
      return { packed: 0, next: ids.length < SLICE_OBJECTS ? null : ids.at(-1)! }
    }
    try {
      const { packed, isDone } = await packObject(organization, due, before, blockRows)
      return { packed, next: isDone ? due : due - 1 }
    } catch (failure) {
      if (failure instanceof StoreUnavailable) throw failure
      return { packed: 0, next: due, failure }
    }
  }
}

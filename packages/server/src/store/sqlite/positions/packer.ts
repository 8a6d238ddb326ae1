import { runAtOnce } from '../../../tracking/work.ts'
import { BEGINNING, BLOCK_ROWS, minRows, packNext } from '../../positions/packing.ts'
import { type PositionStore, StoreUnavailable } from '../../store.ts'
import type { Database } from '../database/database.ts'
import { packTables } from './position-blocks.ts'

const SLICE_OBJECTS = 50
/** A block takes some 4 ms. Each is a transaction of its own, so others write in between. */
const SLICE_BLOCKS = 4
/** Some rows are passed over: see `packNext`. */
const MAX_STEPS = 50

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

  async function packObject(
    organization: number,
    object: number,
    before: number,
    blockRows: number,
  ) {
    const tables = tablesOf(organization, object)
    let packed = 0
    let after: number | null = BEGINNING
    let blocks = 0
    for (let steps = MAX_STEPS; steps > 0 && blocks < SLICE_BLOCKS && after !== null; steps -= 1) {
      const from: number = after
      const done = await database.write(() =>
        runAtOnce(packNext(tables, { organization, object }, from, before, blockRows)),
      )
      packed += done.packed
      if (done.packed > 0) blocks += 1
      after = done.next
    }
    return { packed, isDone: after === null || packed === 0 }
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

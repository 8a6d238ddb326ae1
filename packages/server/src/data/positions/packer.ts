import type { PositionStore } from '../../engine/store/position-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { objectsAfter } from '../tables/record-reads.ts'
import type { OrganizationSql, Tables } from '../tables/sql.ts'
import { BEGINNING, BLOCK_ROWS, minRows, type Packed, packBlocks } from './packing.ts'
import type { PositionForm, TablesOf } from './position-tables.ts'

const SLICE_OBJECTS = 50
/** Blocks that one call packs: some 4 ms each. */
const SLICE_BLOCKS = 4

const IS_KNOWN = 'SELECT 1 FROM objects WHERE organization = $1 AND id = $2'

/** The blocks of a transaction keep other writes to the organization waiting. */
export function packer(
  { dialect, read, change }: Tables,
  { packedAtOnce }: PositionForm,
  tablesOf: TablesOf,
): PositionStore['pack'] {
  /** The first object that has enough rows, or rows that a block follows. */
  const isDue = `
    SELECT id FROM ${dialect.given('$2', { id: 'bigint' })}
    WHERE EXISTS (
      SELECT 1 FROM positions WHERE organization = $1 AND object = id AND time_device < $3
      ORDER BY time_device LIMIT 1 OFFSET $4 - 1
    ) OR EXISTS (
      SELECT 1 FROM position_blocks WHERE organization = $1 AND object = id AND first_time > (
        SELECT time_device FROM positions
        WHERE organization = $1 AND object = id AND time_device < $3 AND hidden IS NULL
        ORDER BY time_device LIMIT 1
      )
    )
    LIMIT 1`

  async function packObject(
    organization: number,
    object: number,
    before: number,
    blockRows: number,
  ): Promise<Packed> {
    function* pack(sql: OrganizationSql, after: number): Work<Packed> {
      // Deletion takes the same lock: blocks of a deleted object would never be removed.
      const known = yield* sql.one(IS_KNOWN, [organization, object])
      if (known === undefined) return { packed: 0, next: null }
      const tables = tablesOf(sql, organization, object)
      return yield* packBlocks(
        tables,
        { organization, object },
        after,
        before,
        blockRows,
        packedAtOnce,
      )
    }
    let packed = 0
    let next: number | null = BEGINNING
    for (let left = SLICE_BLOCKS; left > 0 && next !== null; left -= packedAtOnce) {
      const after: number = next
      const done: Packed | null = await change(organization, (sql) => pack(sql, after))
      packed += done?.packed ?? 0
      next = done?.next ?? null
    }
    return { packed, next }
  }

  return async (organization, before, after, blockRows = BLOCK_ROWS) => {
    const ids = await read((sql) => objectsAfter(sql, organization, after, SLICE_OBJECTS))
    const given = JSON.stringify(ids.map((id) => ({ id })))
    const values = [organization, given, before, minRows(blockRows)]
    const due = await read(({ one }) => one<{ id: number }>(isDue, values))
    if (due === undefined) {
      return { packed: 0, next: ids.length < SLICE_OBJECTS ? null : ids.at(-1)! }
    }
    try {
      const { packed, next } = await packObject(organization, due.id, before, blockRows)
      return { packed, next: next === null ? due.id : due.id - 1 }
    } catch (failure) {
      if (failure instanceof StoreUnavailable) throw failure
      return { packed: 0, next: due.id, failure }
    }
  }
}

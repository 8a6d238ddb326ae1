import type { PositionStore } from '../../engine/store/position-store.ts'
import type { PositionRange } from '../../engine/tracking/work.ts'
import type { Tables } from '../tables/sql.ts'
import { BLOCK_COLUMNS } from './position-tables.ts'
import { isAsNoted, type StoredBlock } from './stored-blocks.ts'

/** Some hundred kilobytes. */
const SLICE_BLOCKS = 20

const BLOCKS = `
  SELECT ${BLOCK_COLUMNS} FROM position_blocks
  WHERE organization = $1 AND object = $2 AND first_time > $3
  ORDER BY first_time LIMIT ${SLICE_BLOCKS}`

/** How many blocks an object has, and should have, at one moment. */
const COUNTS = `
  SELECT count(*) AS found, coalesce((
    SELECT blocks FROM block_counts WHERE organization = $1 AND object = $2
  ), 0) AS noted
  FROM position_blocks WHERE organization = $1 AND object = $2`

export function blockChecker({ read }: Tables): PositionStore['checkBlocks'] {
  return async (organization, object) => {
    const altered: PositionRange[] = []
    for (let [after, size] = [-1, SLICE_BLOCKS]; size === SLICE_BLOCKS; ) {
      const values = [organization, object, after]
      const blocks = await read(({ all }) => all<StoredBlock>(BLOCKS, values))
      for (const block of blocks) if (!isAsNoted(block)) altered.push(block)
      after = blocks.at(-1)?.last ?? after
      size = blocks.length
    }
    const counts = await read(({ one }) =>
      one<{ found: number; noted: number }>(COUNTS, [organization, object]),
    )
    return { altered, missing: counts!.noted - counts!.found }
  }
}

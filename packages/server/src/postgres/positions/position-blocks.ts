import type { PositionName } from '../../store/change-log.ts'
import { BLOCK_COLUMNS } from '../../store/positions/position-tables.ts'
import type { StoredBlock } from '../../store/positions/stored-blocks.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'

/** Each block once, however many of the positions it has. `OFFSET 0` keeps the server from reading all blocks of the organization. */
const WITH_POSITIONS = statement(`
  SELECT block.* FROM (
    SELECT DISTINCT wanted.object, found.first_time
    FROM unnest($2::int8[], $3::int8[]) AS wanted (object, time)
    CROSS JOIN LATERAL (
      SELECT first_time, last_time FROM position_blocks
      WHERE organization = $1 AND object = wanted.object AND first_time <= wanted.time
      ORDER BY first_time DESC LIMIT 1
    ) AS found
    WHERE found.last_time >= wanted.time
  ) AS named
  CROSS JOIN LATERAL (
    SELECT ${BLOCK_COLUMNS} FROM position_blocks
    WHERE organization = $1 AND object = named.object AND first_time = named.first_time OFFSET 0
  ) AS block`)

/** The blocks that have, or would have, one of the positions. */
export function blocksWith(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  wanted: readonly PositionName[],
): Promise<StoredBlock[]> {
  return query<StoredBlock>(WITH_POSITIONS, [
    organization,
    int8Array(wanted.map(({ object }) => object)),
    int8Array(wanted.map(({ time }) => time)),
  ])
}

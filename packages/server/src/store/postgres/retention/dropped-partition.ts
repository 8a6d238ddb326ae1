import type pg from 'pg'
import { inTransaction, lockPartition } from './partition-lock.ts'

/** A partition of the positions: those of times from `from` on and before `to`. */
type Span = { name: string; from: number; to: number }

/**
 * Drops a partition with its rows. The counters of later positions build on the newest row of each object,
 * so that row moves to the default partition, hidden, in place of an older one there. An object that waits
 * to be folded again has no such row yet. If there is one, nothing is dropped.
 *
 * Until the partition is detached, only writes into it wait. The rest locks all positions until the moved
 * rows are written, one for each object of the partition.
 */
export async function dropPartition(client: pg.ClientBase, { name, from, to }: Span) {
  return inTransaction(client, async () => {
    await lockPartition(client, name, 'SHARE')
    const isDropped = !(await isWaiting(client, to))
    if (isDropped) for (const text of dropping({ name, from, to })) await client.query(text)
    return isDropped
  })
}

async function isWaiting(client: pg.ClientBase, to: number): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM refolds WHERE from_time < ${to} LIMIT 1`)
  return rows.length > 0
}

const dropping = ({ name, from }: Span) => [
  `CREATE TEMPORARY TABLE bases ON COMMIT DROP AS
    SELECT newest.* FROM objects, LATERAL (
      SELECT * FROM ${name} AS positions
      WHERE positions.organization = objects.organization AND positions.object = objects.id
      ORDER BY time_device DESC LIMIT 1
    ) AS newest`,
  'ANALYZE bases',
  `DELETE FROM positions USING bases
    WHERE positions.organization = bases.organization AND positions.object = bases.object
      AND positions.time_device < ${from}`,
  `ALTER TABLE positions DETACH PARTITION ${name}`,
  `INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
    SELECT organization, object, time_device, change, coalesce(hidden, newest), fix, track
    FROM bases JOIN sequences USING (organization)`,
  `DROP TABLE ${name}`,
]

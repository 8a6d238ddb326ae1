import type { PositionStore } from '../store.ts'
import type { Connection } from './database.ts'
import type { OrganizationWrites } from './organization-writes.ts'
import { statement } from './statement.ts'

/** Objects that one slice looks at, and rows that it deletes: some milliseconds. */
const OBJECTS = 50
const ROWS = 1_000

const NEXT_OBJECTS = statement(`
  SELECT id FROM objects
  WHERE organization = $1 AND id > $2
    AND id NOT IN (SELECT object FROM refolds WHERE organization = $1)
  ORDER BY id LIMIT $3`)

/** Those among them that have more than the one hidden row to keep. */
const DUE = statement(`
  SELECT id FROM unnest($2::int8[]) AS objects (id)
  WHERE EXISTS (
      SELECT FROM positions WHERE organization = $1 AND object = id AND time_device < $3
      ORDER BY time_device OFFSET 1)
    OR (SELECT hidden IS NULL FROM positions
      WHERE organization = $1 AND object = id AND time_device < $3 ORDER BY time_device LIMIT 1)
  ORDER BY id`)

/** Deletes at most so many rows of an object, and hides the one up to which it came. */
const PURGE = statement(`
  WITH base AS MATERIALIZED (
    SELECT coalesce(
      (SELECT time_device FROM positions WHERE organization = $1 AND object = $2 AND time_device < $3
        ORDER BY time_device OFFSET $4 LIMIT 1),
      (SELECT max(time_device) FROM positions
        WHERE organization = $1 AND object = $2 AND time_device < $3)) AS time
    WHERE NOT EXISTS (SELECT FROM refolds WHERE organization = $1 AND object = $2)
  ), deleted AS (
    DELETE FROM positions WHERE organization = $1 AND object = $2 AND time_device < $3
      AND time_device < (SELECT time FROM base)
    RETURNING 1
  ), kept AS (
    UPDATE positions SET hidden = $5 WHERE organization = $1 AND object = $2 AND time_device < $3
      AND time_device = (SELECT time FROM base) AND hidden IS NULL
  )
  SELECT count(*) AS rows FROM deleted`)

/**
 * The counters of what stays build on those of an object's newest position that has expired. So that
 * one stays, out of sight, as its oldest; after each transaction, however far it came.
 */
export function expiredPurger(
  reading: Connection,
  { write }: OrganizationWrites,
): PositionStore['purgeExpired'] {
  return async (organization, before, after) => {
    const next = await reading.query<{ id: number }>(NEXT_OBJECTS, [organization, after, OBJECTS])
    const slice = next.map(({ id }) => id)
    const end = slice.length < OBJECTS ? null : slice.at(-1)!
    if (slice.length === 0) return end
    const due = await reading.query<{ id: number }>(DUE, [organization, slice, before])
    if (due.length === 0) return end
    const reached = await write(organization, async ({ query, change }) => {
      let left = ROWS
      for (const { id } of due) {
        // It announces nothing: what has just been read may still be shown.
        const values = [organization, id, before, left, change - 1]
        const [deleted] = await query<{ rows: number }>(PURGE, values)
        left -= deleted!.rows
        // Once more from the same object on, which may have more.
        if (left === 0) return id - 1
      }
      return end
    })
    return reached
  }
}

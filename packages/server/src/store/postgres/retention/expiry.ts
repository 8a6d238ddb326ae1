import type { PositionStore } from '../../store.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'
import type { OrganizationWrites } from '../items/organization-writes.ts'

/** A slice looks at this many objects and deletes this many rows. It takes some milliseconds. */
const SLICE_OBJECTS = 50
const SLICE_ROWS = 1_000

const NEXT_OBJECTS = statement(`
  SELECT id FROM objects
  WHERE organization = $1 AND id > $2
    AND id NOT IN (SELECT object FROM refolds WHERE organization = $1)
  ORDER BY id LIMIT $3`)

/** The objects that have more expired rows than the hidden one that must stay. */
const DUE = statement(`
  SELECT id FROM unnest($2::int8[]) AS objects (id)
  WHERE EXISTS (
      SELECT FROM positions WHERE organization = $1 AND object = id AND time_device < $3
      ORDER BY time_device OFFSET 1)
    OR (SELECT hidden IS NULL FROM positions
      WHERE organization = $1 AND object = id AND time_device < $3 ORDER BY time_device LIMIT 1)
  ORDER BY id`)

/** Deletes at most $4 rows of an object, and hides the row after them. */
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
 * The counters of later positions build on those of the newest expired one. So each object keeps that one
 * as its hidden oldest row, after each transaction, however far the deletion got.
 */
export function expiredPurger(
  reading: Connection,
  { write }: OrganizationWrites,
): PositionStore['purgeExpired'] {
  return async (organization, before, after) => {
    const next = await reading.query<{ id: number }>(NEXT_OBJECTS, [
      organization,
      after,
      SLICE_OBJECTS,
    ])
    const slice = next.map(({ id }) => id)
    const end = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
    if (slice.length === 0) return end
    const due = await reading.query<{ id: number }>(DUE, [organization, slice, before])
    if (due.length === 0) return end
    const reached = await write(organization, async ({ query, change }) => {
      let left = SLICE_ROWS
      for (const { id } of due) {
        // It notes no change, so rows that were just read may still be shown.
        const values = [organization, id, before, left, change - 1]
        const [deleted] = await query<{ rows: number }>(PURGE, values)
        left -= deleted!.rows
        // Continue at the same object, which may have more.
        if (left === 0) return id - 1
      }
      return end
    })
    return reached
  }
}

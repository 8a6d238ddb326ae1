import type { PositionStore } from '../../store/position-store.ts'
import {
  MAX_LATER_MS,
  type PurgeTry,
  passingOver,
  removeExpired,
} from '../../store/positions/packing.ts'
import type { PurgeParts } from '../../store/tables/purge.ts'
import { runAwaiting } from '../../tracking/work.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'
import type { OrganizationWrite, OrganizationWrites } from '../organization-writes.ts'
import { packTables } from './position-blocks.ts'

/** Another process may have freed the id already, and another object may have it by now. */
const FINISH = `
  WITH finished AS (
    DELETE FROM purges WHERE organization = $1 AND object = ANY($2::bigint[]) RETURNING object
  )
  DELETE FROM ids WHERE kind = 'objects' AND id IN (SELECT object FROM finished)`

export const PURGE_PARTS: PurgeParts = {
  finish: ({ count }, organization, objects) => count(FINISH, [organization, int8Array(objects)]),
}

/** A slice looks at this many objects and deletes this many rows. It takes some milliseconds. */
const SLICE_OBJECTS = 50
const SLICE_ROWS = 1_000

const NEXT_OBJECTS = statement(`
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`)

type Due = { id: number; isPacked: boolean }

/**
 * The objects that have more expired rows than the hidden one that must stay, and whether they have expired blocks. See
 * `MAX_LATER_MS`. The counters of an object that waits for a fold are unknown.
 */
const DUE = statement(`
  SELECT id, packed.time IS NOT NULL AS "isPacked" FROM objects
  LEFT JOIN LATERAL (
    SELECT first_time AS time FROM position_blocks
    WHERE organization = $1 AND object = id AND first_time < $3 ORDER BY first_time LIMIT 1
  ) AS packed ON true
  LEFT JOIN LATERAL (
    SELECT time FROM (
      SELECT time_device AS time, hidden, row_number() OVER (ORDER BY time_device) AS place
      FROM positions WHERE organization = $1 AND object = id AND time_device < $3
      ORDER BY time_device LIMIT 2
    ) AS oldest
    WHERE place = 2 OR hidden IS NULL ORDER BY time LIMIT 1
  ) AS single ON true
  WHERE organization = $1 AND id = ANY($2::int8[]) AND least(packed.time, single.time) <
      CASE WHEN packed.time IS NULL THEN $3::int8 ELSE $3::int8 - ${MAX_LATER_MS} END
    AND NOT EXISTS (SELECT FROM refolds WHERE organization = $1 AND object = id)
  ORDER BY id`)

/** Deletes at most $4 rows of an object, and hides the row after them. */
const PURGE = statement(`
  WITH base AS MATERIALIZED (
    SELECT coalesce(
      (SELECT time_device FROM positions WHERE organization = $1 AND object = $2 AND time_device < $3
        ORDER BY time_device OFFSET $4 LIMIT 1),
      (SELECT max(time_device) FROM positions
        WHERE organization = $1 AND object = $2 AND time_device < $3)) AS time
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
  return async (organization, before, after, failed) => {
    const next = await reading.query<{ id: number }>(NEXT_OBJECTS, [
      organization,
      after,
      SLICE_OBJECTS,
    ])
    const slice = next.map(({ id }) => id)
    const end = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
    if (slice.length === 0) return end
    const find = [organization, slice, before]
    if ((await reading.query<Due>(DUE, find)).length === 0) return end
    const purge = (attempt: PurgeTry) =>
      write(organization, async (purging) => {
        let left = SLICE_ROWS
        // Rows may have been packed, and objects may wait for a fold by now.
        for (const due of await purging.query<Due>(DUE, find)) {
          if (attempt.skipped.has(due.id)) continue
          attempt.object = due.id
          left -= await purgeObject(attempt, purging, due, before, left)
          // Continue at the same object, which may have more.
          if (left === 0) return due.id - 1
        }
        return end
      })
    return passingOver(purge, failed)
  }
}

/** Returns the number of deleted rows; `atMost` if there may be more. */
async function purgeObject(
  { failures }: PurgeTry,
  purging: OrganizationWrite,
  { id, isPacked }: Due,
  before: number,
  atMost: number,
): Promise<number> {
  const { organization, query, change } = purging
  const tables = packTables(purging, organization, id)
  const { until, cost, damaged } = isPacked
    ? await runAwaiting(removeExpired(tables, before, atMost))
    : { until: before, cost: 0, damaged: null }
  if (damaged !== null) failures.push(damaged)
  // It notes no change, so rows that were just read may still be shown.
  const values = [organization, id, until, atMost, change - 1]
  const [deleted] = await query<{ rows: number }>(PURGE, values)
  return until < before ? atMost : Math.min(atMost, deleted!.rows + cost)
}

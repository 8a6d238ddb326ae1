import { ALL_KINDS } from '../../record-rows.ts'
import { recordRemoval } from '../../tables/record-expiry.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'

/** One transaction looks at this many objects, and deletes rows of this many of them. */
const SLICE_PURGES = 500
const SLICE_OBJECTS = 50
/** Rows deleted of each object in one transaction. */
const SLICE_ROWS = 1_000
const SLICE_CHANGES = 5_000

const FIRST = statement('SELECT min(organization) AS organization FROM purges')
const PENDING = statement(`
  SELECT object FROM purges WHERE organization = $1 ORDER BY object LIMIT ${SLICE_PURGES}
`)
const NOT_EMPTY = statement(`
  SELECT object FROM unnest($2::bigint[]) AS gone (object)
  WHERE EXISTS (
    SELECT 1 FROM positions WHERE organization = $1 AND positions.object = gone.object
  ) OR EXISTS (
    SELECT 1 FROM records
    WHERE organization = $1 AND kind = ANY('{${ALL_KINDS}}'::int4[]) AND records.object = gone.object
  )
`)
const REMOVE = statement(`
  DELETE FROM positions
  WHERE organization = $1 AND object = $2 AND time_device <= (
    SELECT max(time_device) FROM (
      SELECT time_device FROM positions WHERE organization = $1 AND object = $2
      ORDER BY time_device LIMIT ${SLICE_ROWS}
    ) AS slice
  )
`)
const REMOVE_RECORDS = statement(recordRemoval('object = $2', String(SLICE_ROWS)))
/** Another process may have freed the id already, and another object may have it by now. */
const FINISH = statement(`
  WITH finished AS (
    DELETE FROM purges WHERE organization = $1 AND object = ANY($2::bigint[]) RETURNING object
  )
  DELETE FROM ids WHERE kind = 'objects' AND id IN (SELECT object FROM finished)
`)

/** Stands for the change log of a deleted organization among the objects to purge. */
export const CHANGE_LOG = 0
const REMOVE_CHANGES = statement(`
  DELETE FROM change_log WHERE organization = $1 AND seq <= (
    SELECT max(seq) FROM (
      SELECT seq FROM change_log WHERE organization = $1 ORDER BY seq LIMIT ${SLICE_CHANGES}
    ) AS slice
  )
`)

/**
 * Deletes the positions and records of deleted objects, slice by slice, so that others read and write in
 * between. Afterwards their ids are free. The next purge finishes one that was interrupted, or that the signal aborted.
 */
export async function purgeAll(database: Database, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const [first] = await database.query<{ organization: number | null }>(FIRST)
    if (first!.organization === null || signal?.aborted) return
    await purge(database, first!.organization, signal)
  }
}

/** The same of one organization. */
export async function purge(
  database: Database,
  organization: number,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const pending = await database.query<{ object: number }>(PENDING, [organization])
    if (pending.length === 0) return
    const objects = new Set(pending.map(({ object }) => object))
    while (objects.has(CHANGE_LOG) && (await database.run(REMOVE_CHANGES, [organization])) > 0) {
      if (signal?.aborted) return
    }
    await database.transaction(async (connection) => {
      const rows = await connection.query<{ object: number }>(NOT_EMPTY, [
        organization,
        [...objects],
      ])
      const notEmpty = new Set(rows.map(({ object }) => object))
      const empty = [...objects.difference(notEmpty)]
      connection.run(FINISH, [organization, empty])
      for (const object of [...notEmpty].slice(0, SLICE_OBJECTS)) {
        connection.run(REMOVE, [organization, object])
        connection.run(REMOVE_RECORDS, [organization, object])
      }
    })
  }
}

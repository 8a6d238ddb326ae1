import type { Client } from 'pg'
import type { ItemWrite, RecordRemoval } from '../net-writes.ts'
import { RECORD_TABLES } from './tables.ts'

/** Deletes records of objects, and those that ended before a time. */
export async function removeRecords(
  client: Client,
  removals: readonly RecordRemoval[],
): Promise<void> {
  for (const { id, endedBefore } of removals) {
    for (const [kind, { table }] of Object.entries(RECORD_TABLES)) {
      await client.query(
        `WITH gone AS (
          DELETE FROM ${table}
          WHERE ($1::bigint IS NULL OR object_id = $1) AND ($2::timestamptz IS NULL OR end_time < $2)
          RETURNING id
        )
        DELETE FROM fleetgate_pull_items USING gone
        WHERE kind = '${kind}' AND fleetgate_pull_items.id = gone.id`,
        [id, endedBefore],
      )
    }
  }
}

/** Gives the rows of records the current names of their objects and places, as far as a page may have changed them. */
export async function renameRecords(client: Client, items: readonly ItemWrite[]): Promise<void> {
  const idsOf = (of: string) => items.filter(({ kind }) => kind === of).map(({ id }) => id)
  const objects = idsOf('object')
  for (const [kind, { table }] of Object.entries(RECORD_TABLES)) {
    const own = idsOf(kind)
    if (objects.length + own.length === 0) continue
    await client.query(
      `UPDATE ${table} SET ident = o.ident, name = o.name FROM objects o
      WHERE (object_id = ANY ($1) OR ${table}.id = ANY ($2)) AND o.id = object_id
        AND (${table}.ident, ${table}.name) IS DISTINCT FROM (o.ident, o.name)`,
      [objects, own],
    )
  }
  for (const [type, table] of Object.entries({ geofence: 'geofences', site: 'sites' })) {
    const [places, visits] = [idsOf(type), idsOf('visit')]
    if (places.length + visits.length === 0) continue
    await client.query(
      `UPDATE visits SET place_name = p.name
      FROM visits v LEFT JOIN ${table} p ON p.id = v.place_id
      WHERE v.id = visits.id AND v.place_type = '${type}' AND (v.place_id = ANY ($1) OR v.id = ANY ($2))
        AND v.place_name IS DISTINCT FROM p.name`,
      [places, visits],
    )
  }
}

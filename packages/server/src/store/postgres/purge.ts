import type { Database } from './database.ts'
import type { OrganizationWrite } from './organization-writes.ts'
import { statement } from './statement.ts'

/** Objects looked at together. Some rows of some of them are then deleted. */
const LOOKED_AT = 500
const RELIEVED = 50
const ROWS = 1_000

/** For one organization. */
const PENDING = statement(`
  SELECT organization, object FROM purges
  WHERE organization = (SELECT min(organization) FROM purges) ORDER BY object LIMIT ${LOOKED_AT}
`)
const NOT_EMPTY = statement(`
  SELECT object FROM unnest($2::bigint[]) AS gone (object)
  WHERE EXISTS (
    SELECT 1 FROM positions WHERE organization = $1 AND positions.object = gone.object
  )
`)
const LATER = statement('INSERT INTO purges (organization, object) VALUES ($1, $2)')
const UNMARK = statement('DELETE FROM refolds WHERE organization = $1 AND object = $2')
const REMOVE = statement(`
  DELETE FROM positions
  WHERE organization = $1 AND object = $2 AND time_device <= (
    SELECT max(time_device) FROM (
      SELECT time_device FROM positions WHERE organization = $1 AND object = $2
      ORDER BY time_device LIMIT ${ROWS}
    ) AS slice
  )
`)
/** Another process may have freed the id already, and another object may have it by now. */
const FINISH = statement(`
  WITH finished AS (
    DELETE FROM purges WHERE organization = $1 AND object = ANY($2::bigint[]) RETURNING object
  )
  DELETE FROM ids WHERE kind = 'objects' AND id IN (SELECT object FROM finished)
`)

/** The statements that handle a deleted object. `purge` deletes its positions. */
export function forgetObject(write: OrganizationWrite, object: number): void {
  const values = [write.organization, object]
  write.run(LATER, values)
  write.run(UNMARK, values)
  write.changed('states')
}

/**
 * Deletes the positions of deleted objects, slice by slice, so that others read and write in between.
 * Afterwards their ids are free. The next purge finishes an interrupted one.
 */
export async function purge(database: Database): Promise<void> {
  for (;;) {
    const pending = await database.query<Purge>(PENDING)
    if (pending.length === 0) return
    const { organization } = pending[0]!
    const objects = new Set(pending.map(({ object }) => object))
    await database.transaction(async (connection) => {
      const rows = await connection.query<Purge>(NOT_EMPTY, [organization, [...objects]])
      const notEmpty = new Set(rows.map(({ object }) => object))
      const empty = [...objects.difference(notEmpty)]
      connection.run(FINISH, [organization, empty])
      for (const object of [...notEmpty].slice(0, RELIEVED)) {
        connection.run(REMOVE, [organization, object])
      }
    })
  }
}

type Purge = { organization: number; object: number }

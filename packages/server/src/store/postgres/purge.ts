import type { Database } from './database.ts'
import { idsOf } from './ids.ts'
import type { OrganizationWrite } from './organization-writes.ts'
import { statement } from './statement.ts'

/** Rows of one transaction: some tens of milliseconds. */
const SLICE = 5_000

const PENDING = statement('SELECT organization, object FROM purges LIMIT 1')
const LATER = statement('INSERT INTO purges (organization, object) VALUES ($1, $2)')
const UNMARK = statement('DELETE FROM refolds WHERE organization = $1 AND object = $2')
const REMOVE = statement(`
  DELETE FROM positions
  WHERE organization = $1 AND object = $2 AND time_device <= (
    SELECT max(time_device) FROM (
      SELECT time_device FROM positions WHERE organization = $1 AND object = $2
      ORDER BY time_device LIMIT ${SLICE}
    ) AS slice
  )
`)
const FINISH = statement('DELETE FROM purges WHERE organization = $1 AND object = $2')

/** What is to be done with an object that was just deleted; its positions go by `purge`. */
export function forgetObject(write: OrganizationWrite, object: number): void {
  const values = [write.organization, object]
  write.run(LATER, values)
  write.run(UNMARK, values)
  write.changed('states')
}

/**
 * Deletes the positions of objects that are gone, slice by slice, so that others read and write in
 * between; then their ids are free. A purge that was interrupted is finished by the next one.
 */
export async function purge(database: Database): Promise<void> {
  const objectIds = idsOf('objects')
  for (;;) {
    const [next] = await database.query<Purge>(PENDING)
    if (next === undefined) return
    const { organization, object } = next
    if ((await database.run(REMOVE, [organization, object])) === SLICE) continue
    await database.transaction(async (connection) => {
      connection.run(FINISH, [organization, object])
      objectIds.release(connection, object)
    })
  }
}

type Purge = { organization: number; object: number }

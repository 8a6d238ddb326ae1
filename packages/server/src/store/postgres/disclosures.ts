import type { Disclosure } from '../../domain/disclosure.ts'
import type { DisclosureStore } from '../usage-store.ts'
import { int8Array } from './connection/binary-arrays.ts'
import { statement } from './connection/connections.ts'
import type { Database } from './database.ts'
import { givenStatement } from './items/given-rows.ts'

/** Takes a fraction of a second, during which other writers of the same rows wait. */
const ADD_SIZE = 10_000
/** Organizations whose old rows one transaction deletes. */
const MAX_ORGANIZATIONS = 100

/** As that of `usage.ts`: it leaves deleted organizations out, and no two writers wait for each other. */
const ADD = statement(`
  WITH existing AS (
    SELECT id FROM organizations WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE
  )
  INSERT INTO disclosures (organization, day, key, object, requests, rows)
  SELECT organization, day, key, object, sum(requests), sum(rows)
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS counted (organization, day, key, object, requests, rows)
  WHERE organization IN (SELECT id FROM existing)
  GROUP BY 1, 2, 3, 4
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (organization, day, key, object)
  DO UPDATE SET requests = disclosures.requests + excluded.requests,
    rows = disclosures.rows + excluded.rows
`)
/** One organization's part on a worker of a distributed database, as in `usage.ts`. */
const ADD_OF_ONE = givenStatement(
  (given) => `
  INSERT INTO disclosures (organization, day, key, object, requests, rows)
  SELECT ${given.organization}, day, key, object, sum(requests), sum(rows)
  ${given.from(`unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[])
    AS counted (day, key, object, requests, rows)`)}
  GROUP BY 1, 2, 3, 4
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (organization, day, key, object)
  DO UPDATE SET requests = disclosures.requests + excluded.requests,
    rows = disclosures.rows + excluded.rows
`,
)
const LIST = statement(`
  SELECT organization, day, key, object, requests, rows FROM disclosures
  WHERE organization = $1 AND (day, key, object) > ($2, $3, $4) AND day BETWEEN $5 AND $6
    AND key = coalesce($7, key) AND object = coalesce($8, object)
  ORDER BY day, key, object LIMIT $9
`)
const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')
const PURGE = statement(
  'DELETE FROM disclosures WHERE organization = ANY($1::bigint[]) AND day < $2',
)

const COLUMNS = ['day', 'key', 'object', 'requests', 'rows'] as const

function columnsOf(counts: readonly Disclosure[]): unknown[] {
  return COLUMNS.map((column) => int8Array(counts.map((each) => each[column])))
}

export function disclosureStore(database: Database, isDistributed: boolean): DisclosureStore {
  /** All writers use the same order, so that no two wait for each other. */
  function addToEach(counts: readonly Disclosure[]): Promise<void> {
    const byOrganization = Map.groupBy(counts, ({ organization }) => organization)
    const ordered = [...byOrganization].sort(([one], [other]) => one - other)
    return database.transaction(async (connection) => {
      for (const [organization, mine] of ordered) {
        connection.run(ADD_OF_ONE, [organization, ...columnsOf(mine)])
      }
    })
  }

  return {
    addSize: ADD_SIZE,
    async add(counts) {
      if (isDistributed) return addToEach(counts)
      const owners = int8Array(counts.map(({ organization }) => organization))
      const values = [owners, ...columnsOf(counts)]
      await database.transaction((connection) => connection.run(ADD, values))
    },
    list(organization, { from, to, key = null, object = null }, after, limit) {
      const place = after === null ? [0, 0, 0] : [after.day, after.key, after.object]
      const values = [organization, ...place, from, to, key, object, limit]
      return database.query<Disclosure>(LIST, values)
    },
    async purge(before) {
      const ids = (await database.query<{ id: number }>(ORGANIZATIONS)).map(({ id }) => id)
      for (let at = 0; at < ids.length; at += MAX_ORGANIZATIONS) {
        const some = int8Array(ids.slice(at, at + MAX_ORGANIZATIONS))
        await database.transaction((connection) => connection.run(PURGE, [some, before]))
      }
    },
  }
}

import type { UsageCount } from '../../domain/usage.ts'
import type { UsageStore } from '../usage-store.ts'
import { int8Array } from './connection/binary-arrays.ts'
import { statement } from './connection/connections.ts'
import type { Database } from './database.ts'
import { givenStatement } from './items/given-rows.ts'

/** Takes a fraction of a second, during which other writers of the same rows wait. */
const ADD_SIZE = 10_000
/** Organizations whose old rows one transaction deletes. */
const MAX_ORGANIZATIONS = 100

/**
 * Waits for an organization that is being deleted, then leaves it out. Holds an existing one until the
 * end. All writers use the same order, so that no two wait for each other or for a deletion, which locks
 * the organization before its rows. $4 counts from 1 in $7.
 */
const ADD = statement(`
  WITH existing AS (
    SELECT id FROM organizations WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE
  )
  INSERT INTO usage (organization, day, key, operation, status, requests)
  SELECT organization, day, key, ($7::text[])[operation] COLLATE "C" AS operation, status,
    sum(requests)
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS counted (organization, day, key, operation, status, requests)
  WHERE organization IN (SELECT id FROM existing)
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (organization, day, key, operation, status)
  DO UPDATE SET requests = usage.requests + excluded.requests
`)
/**
 * One organization's part on a worker of a distributed database. A lock of `organizations` would lock it on all
 * servers, where two additions can wait for each other. If the organization is deleted meanwhile, the foreign key
 * fails.
 */
const ADD_OF_ONE = givenStatement(
  (given) => `
  INSERT INTO usage (organization, day, key, operation, status, requests)
  SELECT ${given.organization}, day, key, ($6::text[])[operation] COLLATE "C" AS operation, status,
    sum(requests)
  ${given.from(`unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $7::int8[])
    AS counted (day, key, operation, status, requests)`)}
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (organization, day, key, operation, status)
  DO UPDATE SET requests = usage.requests + excluded.requests
`,
)
const LIST = statement(`
  SELECT organization, day, key, operation, status, requests FROM usage
  WHERE organization = $1 AND day BETWEEN $2 AND $3 AND key = coalesce($4, key)
  ORDER BY day, key, operation, status
`)
const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')
const OF_DAY = statement(`
  SELECT organization, status, sum(requests)::bigint AS requests FROM usage
  WHERE organization = ANY($1::bigint[]) AND day = $2
  GROUP BY organization, status ORDER BY organization, status
`)
const PURGE = statement('DELETE FROM usage WHERE organization = ANY($1::bigint[]) AND day < $2')

export function usageStore(database: Database, isDistributed: boolean): UsageStore {
  async function organizations(): Promise<number[]> {
    return (await database.query<{ id: number }>(ORGANIZATIONS)).map(({ id }) => id)
  }

  /** All writers use the same order, so that no two wait for each other. */
  function addToEach(counts: readonly UsageCount[]): Promise<void> {
    const byOrganization = Map.groupBy(counts, ({ organization }) => organization)
    const ordered = [...byOrganization].sort(([one], [other]) => one - other)
    return database.transaction(async (connection) => {
      for (const [organization, mine] of ordered) {
        const [, day, key, operation, status, requests, operations] = columnsOf(mine)
        const values = [organization, day, key, operation, status, operations, requests]
        connection.run(ADD_OF_ONE, values)
      }
    })
  }

  return {
    addSize: ADD_SIZE,
    async add(counts) {
      if (isDistributed) await addToEach(counts)
      else await database.transaction((connection) => connection.run(ADD, columnsOf(counts)))
    },
    list: (organization, from, to, key) =>
      database.query<UsageCount>(LIST, [organization, from, to, key ?? null]),
    async byOrganization(day) {
      const totals = new Map<number, Map<number, number>>()
      const ids = int8Array(await organizations())
      for (const row of await database.query<UsageCount>(OF_DAY, [ids, day])) {
        const { organization, status, requests } = row
        const byStatus = totals.get(organization) ?? new Map<number, number>()
        totals.set(organization, byStatus.set(status, requests))
      }
      return totals
    },
    async purge(before) {
      const ids = await organizations()
      for (let at = 0; at < ids.length; at += MAX_ORGANIZATIONS) {
        const some = int8Array(ids.slice(at, at + MAX_ORGANIZATIONS))
        await database.transaction((connection) => connection.run(PURGE, [some, before]))
      }
    },
  }
}

/** The index of each operation in the list of operations, which is short. */
function columnsOf(counts: readonly UsageCount[]): unknown[] {
  const operations = [...new Set(counts.map(({ operation }) => operation))]
  const places = new Map(operations.map((operation, index) => [operation, index + 1]))
  return [
    int8Array(counts.map(({ organization }) => organization)),
    int8Array(counts.map(({ day }) => day)),
    int8Array(counts.map(({ key }) => key)),
    int8Array(counts.map(({ operation }) => places.get(operation)!)),
    int8Array(counts.map(({ status }) => status)),
    int8Array(counts.map(({ requests }) => requests)),
    operations,
  ]
}

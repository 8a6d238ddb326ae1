import type { ClientBase } from 'pg'
import { ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import { newEpoch } from '../../engine/store/change-log.ts'
import { runAwaiting } from '../../engine/tracking/work.ts'
import {
  type CopySource,
  type CopySourceFacts,
  POSITIONS,
  TABLES_WITH_IDS,
} from '../copy/copy-port.ts'
import { copiedRows } from '../copy/copy-reads.ts'
import { readEpoch } from './change-log/change-rows.ts'
import { statement } from './connection/connection-pool.ts'
import { copyBlocks } from './connection/copy-blocks.ts'
import { withNumbers } from './connection/copy-command.ts'
import { over } from './connection/database.ts'
import { tablesOf } from './positions/position-form.ts'
import { LISTS, sqlOf } from './tables.ts'

const ROWS = `
  SELECT ${Object.keys(POSITIONS.columns).join(', ')} FROM positions
  WHERE organization = $1 AND object = ANY($2) AND time_device >= $3 AND time_device < $4
  ORDER BY object, time_device`

/** Queries for tables that are not copied row by row. Organization $1, and the first day of the copied quotas $2. */
const OWN_QUERIES: Record<string, string> = {
  sequences: `
    SELECT organization, coalesce((
        SELECT sequence FROM changes WHERE organization = $1 AND topic = 'objects'
      ), 0) AS objects, states, logged
    FROM sequences WHERE organization = $1`,
  // The id of an object that is being deleted will be free afterwards.
  ids: `
    SELECT kind, id, organization FROM ids
    WHERE organization = $1
      AND NOT (kind = 'objects' AND id IN (SELECT object FROM purges WHERE organization = $1))
    ORDER BY kind COLLATE "C", id`,
  quota_counts: `
    SELECT organization, day, object, hundredths FROM quota_counts
    WHERE organization = $1 AND day >= $2 AND hundredths > 0
      AND object IN (SELECT id FROM objects WHERE organization = $1)
    ORDER BY day, object`,
}

const SECRET = statement('SELECT secret FROM deployment')
const NEWEST_NOTED = statement('SELECT coalesce(max(sequence), 0) AS newest FROM changes')
const NEWEST = statement(`
  SELECT coalesce(max(greatest(newest, objects, states)), 0) AS newest FROM sequences
  WHERE organization = ANY($1)`)

/** The sequence that gives a table its ids. */
export function idSequenceOf(table: (typeof TABLES_WITH_IDS)[number]): string {
  const isOwn = ITEM_TOPICS.some((topic) => topic === table)
  return isOwn ? `${table}_id` : `${table}_id_seq`
}

/** The last id of each table, which may be beyond its sequence because an import can choose ids. */
const LAST_IDS = TABLES_WITH_IDS.map((table) => {
  const sequence = idSequenceOf(table)
  const taken = sequence.endsWith('_seq')
    ? `SELECT max(id) FROM ${table}`
    : `SELECT max(id) FROM ids WHERE kind = '${table}'`
  const text = `
    SELECT greatest(CASE WHEN is_called THEN last_value ELSE 0 END, (${taken})) AS last
    FROM ${sequence}`
  return [table, statement(text)] as const
})

/** Reads the data of a copy over one connection, as its transaction sees it. `since`: the first day of the copied quotas. */
export function copiedFrom(client: ClientBase, since: number): Omit<CopySource, 'close'> {
  const { query } = over(client)
  const sql = sqlOf(over(client))
  const rows = copiedRows({
    read: (work) => runAwaiting(work(sql)),
    dialect: LISTS,
    tablesOf,
    ownQueries: OWN_QUERIES,
    tuples(_, text, organization) {
      const values = organization === null ? [] : [organization, since]
      return copyBlocks(client, withNumbers(text, values))
    },
    unpacked: ({ organization, objects, from, to }) =>
      copyBlocks(client, withNumbers(ROWS, [organization, objects, from, to])),
  })
  return {
    ...rows,
    async facts() {
      const [deployment] = await query<{ secret: Buffer }>(SECRET)
      const [noted] = await query<{ newest: number }>(NEWEST_NOTED)
      const [used] = await query<{ newest: number }>(NEWEST, [await rows.organizations()])
      const lastIds: Record<string, number> = {}
      for (const [table, last] of LAST_IDS) {
        lastIds[table] = (await query<{ last: number }>(last))[0]!.last
      }
      return {
        secret: deployment!.secret,
        sequence: Math.max(noted!.newest, used!.newest),
        // The epoch of a restored database is new, so no reader has it yet.
        epoch: (await readEpoch({ query })) ?? newEpoch(),
        lastIds: lastIds as CopySourceFacts['lastIds'],
      }
    },
  }
}

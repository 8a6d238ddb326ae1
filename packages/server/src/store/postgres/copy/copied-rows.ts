import type { ClientBase } from 'pg'
import { ITEM_TOPICS } from '../../../domain/items.ts'
import { newEpoch } from '../../change-log.ts'
import {
  type CopiedTable,
  type CopySource,
  type CopySourceFacts,
  TABLES_WITH_IDS,
} from '../../copy-port.ts'
import { inParts } from '../../in-slices.ts'
import { addToWeeks } from '../../positions/copied-blocks.ts'
import type { StoredBlock } from '../../positions/stored-blocks.ts'
import { WEEK_MS, weekOf } from '../../week.ts'
import { readEpoch } from '../change-log/epoch.ts'
import { type Statement, statement } from '../connection/connections.ts'
import { withNumbers } from '../connection/copy-command.ts'
import { over } from '../database.ts'
import { BLOCK_COLUMNS } from '../positions/position-blocks.ts'
import { copiedPositions } from './copied-positions.ts'
import { copyBlocks } from './copy-blocks.ts'

/** Queries for tables that are not copied row by row. Organization $1. */
const OTHER_QUERIES: Record<string, string> = {
  changes: `
    SELECT organization, topic, sequence FROM changes
    WHERE organization = $1 AND topic <> 'states' ORDER BY topic COLLATE "C"`,
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

const ORGANIZATIONS = statement('SELECT id FROM organizations ORDER BY id')
const OBJECTS = statement('SELECT id FROM objects WHERE organization = $1 ORDER BY id')
const weekNumber = (time: string) => `(${time} - ${weekOf(0)}) / ${WEEK_MS}`
const IS_IN_ONE_WEEK = `${weekNumber('first_time')} = ${weekNumber('last_time')}`
/** Without blocks that begin in one week and end in another. */
const WEEKS = statement(`
  SELECT week, sum(count)::int8 AS count FROM (
    SELECT ${weekNumber('time_device')} AS week, count(*) AS count FROM positions
    WHERE organization = $1 GROUP BY 1
    UNION ALL
    SELECT ${weekNumber('first_time')}, sum(rows) FROM position_blocks
    WHERE organization = $1 AND ${IS_IN_ONE_WEEK} GROUP BY 1
  ) AS counted GROUP BY week`)
const BLOCKS_OF_TWO_WEEKS = statement(`
  SELECT ${BLOCK_COLUMNS} FROM position_blocks
  WHERE organization = $1 AND object = ANY($2::int8[]) AND NOT ${IS_IN_ONE_WEEK}`)
/** Objects whose blocks are read at once: some megabytes. */
const SLICE_OBJECTS = 100
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
export function copiedRows(client: ClientBase, since: number): Omit<CopySource, 'close'> {
  const { query } = over(client)

  async function organizations(): Promise<number[]> {
    return (await query<{ id: number }>(ORGANIZATIONS)).map(({ id }) => id)
  }

  async function objectsOf(organization: number): Promise<number[]> {
    return (await query<{ id: number }>(OBJECTS, [organization])).map(({ id }) => id)
  }

  return {
    organizations,
    objects: objectsOf,
    async weeks(organization) {
      const counted = await query<{ week: number; count: number }>(WEEKS, [organization])
      const weeks = new Map(counted.map(({ week, count }) => [weekOf(0) + week * WEEK_MS, count]))
      await inParts(await objectsOf(organization), SLICE_OBJECTS, async (part) => {
        const read = await query<StoredBlock>(BLOCKS_OF_TWO_WEEKS, [organization, part])
        for (const block of read) addToWeeks(weeks, block)
        return []
      })
      return weeks
    },
    rows(table, organization) {
      const { text } = selectOf(table)
      return copyBlocks(
        client,
        organization === null ? text : withNumbers(text, [organization, since]),
      )
    },
    positions: copiedPositions(client),
    async facts() {
      const [deployment] = await query<{ secret: Buffer }>(SECRET)
      const [noted] = await query<{ newest: number }>(NEWEST_NOTED)
      const [used] = await query<{ newest: number }>(NEWEST, [await organizations()])
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

function selectOf({ name, columns, owner, key }: CopiedTable): Statement {
  const other = OTHER_QUERIES[name]
  if (other !== undefined) return statement(other)
  const names = Object.keys(columns).join(', ')
  const order = key.map((column) => (columns[column] === 'text' ? `${column} COLLATE "C"` : column))
  const whose = owner === null ? '' : `WHERE ${owner} = $1`
  return statement(`SELECT ${names} FROM ${name} ${whose} ORDER BY ${order.join(', ')}`)
}

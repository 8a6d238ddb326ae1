import type { ClientBase } from 'pg'
import { ITEM_TOPICS } from '../../base/domain/items.ts'
import { newEpoch } from '../../engine/store/change-log.ts'
import { WEEK_MS, weekOf } from '../../engine/store/position-store.ts'
import { runAwaiting } from '../../engine/tracking/work.ts'
import {
  type CopiedTable,
  type CopySource,
  type CopySourceFacts,
  type Part,
  POSITIONS,
  TABLES_WITH_IDS,
} from '../copy/copy-port.ts'
import { BLOCK_COLUMNS } from '../positions/position-tables.ts'
import {
  addToWeeks,
  coveredBy,
  type StoredBlock,
  type StoredRow,
  type Stretch,
  tuplesOf,
} from '../positions/stored-blocks.ts'
import { inParts } from '../tables/sql.ts'
import { readEpoch } from './change-log/change-rows.ts'
import { type Statement, statement } from './connection/connections.ts'
import { copyBlocks } from './connection/copy-blocks.ts'
import { withNumbers } from './connection/copy-command.ts'
import { over } from './connection/database.ts'
import { tablesOf } from './positions/position-form.ts'
import { sqlOf } from './tables.ts'

const ROWS = statement(`
  SELECT ${Object.keys(POSITIONS.columns).join(', ')} FROM positions
  WHERE organization = $1 AND object = ANY($2) AND time_device >= $3 AND time_device < $4
  ORDER BY object, time_device`)
const WITH_BLOCKS = statement(`
  SELECT id FROM unnest($2::int8[]) AS objects (id)
  WHERE $3 <= (
    SELECT last_time FROM position_blocks
    WHERE organization = $1 AND object = id AND first_time < $4 ORDER BY first_time DESC LIMIT 1
  )`)

/** The blocks of an object among whose rows others came while it was damaged. */
const WITH_LATE = statement(`
  SELECT first_time AS first FROM position_blocks
  WHERE organization = $1 AND object = $2 AND EXISTS (
    SELECT FROM positions
    WHERE organization = $1 AND object = $2 AND time_device BETWEEN first_time AND last_time
  )`)

/** The objects of a part that have blocks with rows in it. */
export async function withBlocks(
  client: ClientBase,
  { organization, objects, from, to }: Part,
): Promise<number[]> {
  const { query } = over(client)
  const rows = await query<{ id: number }>(WITH_BLOCKS, [organization, objects, from, to])
  return rows.map(({ id }) => id)
}

/** The tuples of `POSITIONS` for a part, in blocks: those of rows, and those of packed positions in between. */
function copiedPositions(client: ClientBase): CopySource['positions'] {
  function rowsOf({ organization, objects, from, to }: Part) {
    return copyBlocks(client, withNumbers(ROWS.text, [organization, objects, from, to]))
  }

  async function* mixed(part: Part, object: number): AsyncGenerator<Buffer> {
    const { organization, to } = part
    const { query } = over(client)
    const { blocks, rows } = tablesOf(sqlOf(over(client)), organization, object)
    const found = await query<{ first: number }>(WITH_LATE, [organization, object])
    const haveLate = new Set(found.map(({ first }) => first))
    async function lateIn(block: StoredBlock, stretch: Stretch): Promise<StoredRow[]> {
      if (!haveLate.has(block.first)) return []
      return runAwaiting(rows.first(coveredBy(block, stretch), Number.MAX_SAFE_INTEGER))
    }
    for (let stretch = { after: part.from - 1, to: to - 1 }; ; ) {
      const block = await runAwaiting(blocks.next(stretch))
      const from = stretch.after + 1
      const end = block === null ? to : block.first
      if (from < end) yield* rowsOf({ organization, objects: [object], from, to: end })
      if (block === null) return
      yield tuplesOf(block, stretch, await lateIn(block, stretch))
      stretch = { ...stretch, after: block.last }
    }
  }

  return async function* positions(part) {
    const packed = new Set(await withBlocks(client, part))
    let rest = part.objects
    while (rest.length > 0) {
      const place = rest.findIndex((object) => packed.has(object))
      const objects = place < 0 ? rest : rest.slice(0, place)
      if (objects.length > 0) yield* rowsOf({ ...part, objects })
      if (place < 0) return
      yield* mixed(part, rest[place]!)
      rest = rest.slice(place + 1)
    }
  }
}

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

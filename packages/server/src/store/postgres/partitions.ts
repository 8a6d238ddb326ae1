import pg from 'pg'
import { DAY_MS } from '../../domain/time.ts'
import type { PositionStore } from '../store.ts'
import { WEEK_MS, weekOf } from '../week.ts'
import { Client, clientSettings } from './client.ts'
import type { Database } from './database.ts'
import { dropPartition } from './dropped-partition.ts'
import { commitDurably } from './durability.ts'
import { packPartition } from './packed-partition.ts'
import { statement } from './statement.ts'
import { asUnavailable } from './unavailable.ts'

/** Weeks that have a partition before anything of them comes: those to come, and those just gone. */
const AHEAD = 8
const BEHIND = 4
/** Of those to come, as many are enough to begin with. */
const NEEDED = 4
/** Rows of one week in the default partition, beyond which the week gets a partition of its own. */
const CROWDED = 100_000
/** After which little comes of a week any more. */
const SETTLED_MS = 2 * DAY_MS
/** What has to be locked for a moment is given up where others use it for longer. */
const LOCK_MS = 1_000
/** `errcode` of what was not locked in time. */
const LOCK_NOT_AVAILABLE = '55P03'

/** Any number, but the same in every version. */
const LOCK = 'SELECT pg_try_advisory_lock(7305462) AS locked'

const UNLOCK = 'SELECT pg_advisory_unlock(7305462)'

const IS_THERE = statement('SELECT to_regclass($1) IS NOT NULL AS is')

/**
 * Rows are only ever added to the newest weeks. What is added is vacuumed soon, and frozen then, so
 * that an index tells all of a row without a look at its table, and no week is ever rewritten later.
 */
const VACUUM = `(autovacuum_vacuum_insert_threshold = 100000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_freeze_min_age = 0)`

/** A partition, by the Monday that it begins with. `dueAt`: when it is dropped, null where it is not. */
type Partition = { name: string; from: number; dueAt: number | null }

/** Makes and drops the weekly partitions of the positions. */
export type Partitions = {
  /** Makes those that a process which opens the database will soon need, where they are missing. */
  make(now: number): Promise<void>
  /** Of several processes that call it together one does it. */
  makeRoom: PositionStore['makeRoom']
}

export function partitions(database: Database): Partitions {
  const alone = (work: Work, signal?: AbortSignal) => whileAlone(database.url, work, signal)
  return {
    async make(now) {
      const name = nameOf(weekOf(now) + NEEDED * WEEK_MS)
      const [there] = await database.query<{ is: boolean }>(IS_THERE, [name])
      if (!there!.is) await alone((client) => addMissing(client, now, 0))
    },
    async makeRoom(now, expired, signal) {
      await alone(async (client) => {
        await addMissing(client, now, expired)
        for (const each of await partitionsOf(client)) {
          await unlessInUse(keepOrDrop(client, each, now, expired))
        }
        for (const { name, from } of await partitionsOf(client)) {
          if (from + WEEK_MS + SETTLED_MS <= now) await unlessInUse(packPartition(client, name))
        }
      }, signal)
      return true
    },
  }
}

type Work = (client: pg.ClientBase) => Promise<void>

/** Does nothing where another process is at it, and no more when the signal aborts. */
async function whileAlone(url: string, work: Work, signal?: AbortSignal): Promise<void> {
  // Without time limits: what has to be moved may be much. A connection that sends ahead could not be
  // ended in the middle of it.
  const client = new Client({ ...clientSettings(url), pipeline: false })
  client.on('error', () => {})
  const end = () => client.end().catch(() => {})
  signal?.addEventListener('abort', end)
  try {
    await client.connect()
    await commitDurably(client)
    signal?.throwIfAborted()
    const { rows } = await client.query<{ locked: boolean }>(LOCK)
    if (!rows[0]!.locked) return
    await client.query(`SET lock_timeout = ${LOCK_MS}`)
    await work(client)
    // Closing the connection does so as well, but some time after that is done here.
    await client.query(UNLOCK)
  } catch (error) {
    if (!signal?.aborted) throw asUnavailable(error)
  } finally {
    signal?.removeEventListener('abort', end)
    await end()
  }
}

/** What others hold locked is left for the next time. */
async function unlessInUse(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
  })
}

async function addMissing(client: pg.ClientBase, now: number, expired: number): Promise<void> {
  const weeks = new Set(await crowdedWeeks(client))
  for (let week = -BEHIND; week <= AHEAD; week += 1) weeks.add(weekOf(now) + week * WEEK_MS)
  for (const { from } of await partitionsOf(client)) weeks.delete(from)
  for (const from of weeks) if (from >= expired) await addPartition(client, from)
}

/** Makes the partitions of weeks that so many rows will come of as are worth one, where they are missing. */
export async function addWeeks(
  client: pg.ClientBase,
  rows: ReadonlyMap<number, number>,
): Promise<void> {
  const standing = new Set((await partitionsOf(client)).map(({ from }) => from))
  for (const [week, count] of rows) {
    if (count >= CROWDED && !standing.has(week)) await addPartition(client, week)
  }
}

async function addPartition(client: pg.ClientBase, from: number): Promise<void> {
  const name = nameOf(from)
  const to = from + WEEK_MS
  // One text is one transaction: what fails takes all of it back.
  await client.query(`
    LOCK TABLE positions_default IN SHARE ROW EXCLUSIVE MODE;
    CREATE TABLE ${name} (LIKE positions INCLUDING ALL) WITH ${VACUUM};
    WITH moved AS (
      DELETE FROM positions_default WHERE time_device >= ${from} AND time_device < ${to} RETURNING *
    ) INSERT INTO ${name} SELECT * FROM moved;
    ALTER TABLE positions ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
}

/**
 * A partition that nobody wants any more is dropped a day later, so that a number that was mistyped
 * can be taken back; its comment says when.
 */
async function keepOrDrop(
  client: pg.ClientBase,
  { name, from, dueAt }: Partition,
  now: number,
  expired: number,
): Promise<void> {
  const isDue = from + WEEK_MS <= expired
  if (!isDue && dueAt !== null) await client.query(`COMMENT ON TABLE ${name} IS NULL`)
  if (isDue && dueAt === null) {
    await client.query(`COMMENT ON TABLE ${name} IS 'dropped from ${now + DAY_MS} on'`)
  }
  if (!isDue || dueAt === null || now < dueAt) return
  await dropPartition(client, { name, from, to: from + WEEK_MS })
}

/** By time, the default one aside. */
async function partitionsOf(client: pg.ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string; comment: string | null }>(`
    SELECT relname::text AS name, obj_description(inhrelid, 'pg_class') AS comment
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'positions'::regclass ORDER BY relname`)
  return rows.flatMap(({ name, comment }) => {
    const [, year, month, day] = /^positions_(\d{4})_(\d\d)_(\d\d)$/.exec(name) ?? []
    if (year === undefined) return []
    const dueAt = /^dropped from (\d+) on$/.exec(comment ?? '')?.[1]
    const from = Date.UTC(Number(year), Number(month) - 1, Number(day))
    return [{ name, from, dueAt: dueAt === undefined ? null : Number(dueAt) }]
  })
}

function nameOf(from: number): string {
  return `positions_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '_')}`
}

async function crowdedWeeks(client: pg.ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ moment: number }>(`
    SELECT min(time_device) AS moment FROM positions_default
    GROUP BY (time_device - ${weekOf(0)}) / ${WEEK_MS} HAVING count(*) >= ${CROWDED}`)
  return rows.map(({ moment }) => weekOf(moment))
}

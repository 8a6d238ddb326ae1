import type pg from 'pg'
import { DAY_MS } from '../../../base/domain/time/time.ts'
import { type PositionStore, WEEK_MS, weekOf } from '../../../engine/store/position-store.ts'
import { Client, clientSettings } from '../connection/client.ts'
import { statement } from '../connection/connection-pool.ts'
import type { Database } from '../connection/database.ts'
import { commitDurably } from '../connection/server-check.ts'
import { asUnavailable, isLocked } from '../connection/unavailable.ts'
import { isDistributed, layOut, oneConnectionToEach } from '../lay-out.ts'

/** A row takes about 300 bytes in a full partition with its index, and never as many as this. */
const SPARSE_ROW_BYTES = 6_000
/** A smaller partition has nothing to give back. */
const MIN_BYTES = 1024 ** 2
/** Reads and writes of the week wait while it is rewritten: a few seconds at this size. */
const MAX_BYTES = 1024 ** 3

/** The number of rows is that of the last vacuum, which comes soon after many were deleted. */
const IS_SPARSE = `
  SELECT pg_total_relation_size(oid) BETWEEN ${MIN_BYTES} + reltuples * ${SPARSE_ROW_BYTES} AND ${MAX_BYTES} AS is
  FROM pg_class WHERE oid = $1::regclass AND reltuples >= 0`

/**
 * Rewrites a partition most of whose rows were packed. Vacuum would free their space only for other rows of the week,
 * and hardly any will arrive.
 */
async function compactPartition(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ is: boolean }>(IS_SPARSE, [name])
  if (rows[0]?.is) await client.query(`VACUUM (FULL, ANALYZE) ${name}`)
}

/** Commits everything that `work` does, or nothing. */
async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    if (await isDistributed(client)) await oneConnectionToEach(client)
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/**
 * Writes into the partition wait until the end of the transaction. In a distributed database those into the
 * other partitions wait too: the coordinator does not know into which one a write goes.
 */
async function lockPartition(client: pg.ClientBase, name: string): Promise<void> {
  const table = (await isDistributed(client)) ? 'positions' : name
  await client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`)
}

/** Weeks that get a partition before their rows arrive: the next ones and the last ones. */
const WEEKS_AHEAD = 8
const WEEKS_BEHIND = 4
/** At the start, this many of the next weeks are enough. */
const WEEKS_NEEDED = 4
/** If the default partition has more rows of a week than this, the week gets its own partition. */
const CROWDED_ROWS = 100_000
/**
 * A partition older than the last weeks is dropped if it has at most this many rows. All positions
 * wait while they move: about 50 ms.
 */
const FEW_ROWS = 10_000
/** After this time few rows of a week still arrive, and most are packed. */
const SETTLED_MS = 3 * DAY_MS
/** A process that starts gives up on a lock that others hold for longer. */
const LOCK_MS = 1_000
/** A running one waits less: reads and writes that queue after an exclusive lock wait for it too. */
const SHORT_LOCK_MS = 100

/** A process holds it while it makes, drops or rewrites partitions. Any number, but the same in every version. */
const LOCK = 7305462
export const LOCK_PARTITIONS = `SELECT pg_try_advisory_lock(${LOCK}) AS locked`
const UNLOCK = `SELECT pg_advisory_unlock(${LOCK})`

const IS_THERE = statement('SELECT to_regclass($1) IS NOT NULL AS is')

/**
 * Rows are only added to the newest weeks. New rows are vacuumed and frozen soon. Then index-only scans
 * work, and no week is rewritten later.
 */
const VACUUM = `(autovacuum_vacuum_insert_threshold = 100000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_freeze_min_age = 0)`

/** A partition, named by the Monday on which it begins. */
type Partition = { name: string; from: number }

/** Creates and drops the weekly partitions of the positions. */
type Partitions = {
  /** Creates the partitions that a new process will need soon, if they are missing. */
  make(now: number): Promise<void>
  /** If several processes call it together, one does it. */
  makeRoom: PositionStore['makeRoom']
}

export function partitions(database: Database): Partitions {
  const alone = (work: Work, signal?: AbortSignal) => whileAlone(database.url, work, signal)
  return {
    async make(now) {
      const name = nameOf(weekOf(now) + WEEKS_NEEDED * WEEK_MS)
      const [there] = await database.query<{ is: boolean }>(IS_THERE, [name])
      if (!there!.is) await alone((client) => addMissing(client, now))
    },
    makeRoom: (now, signal) =>
      alone(async (client) => {
        await client.query(`SET lock_timeout = ${SHORT_LOCK_MS}`)
        await untilInUse(() => addMissing(client, now))
        await untilInUse(async () => {
          for (const { name, from } of await partitionsOf(client)) {
            const isOld = from < weekOf(now) - WEEKS_BEHIND * WEEK_MS
            if (isOld) await dropIfEmptied(client, name)
          }
        })
        await untilInUse(async () => {
          for (const { name, from } of await partitionsOf(client)) {
            const isSettled = from + WEEK_MS + SETTLED_MS <= now
            if (isSettled) await compactPartition(client, name)
          }
        })
      }, signal),
  }
}

type Work = (client: pg.ClientBase) => Promise<void>

/** Does nothing if another process has the lock. Stops when the signal aborts. */
async function whileAlone(url: string, work: Work, signal?: AbortSignal): Promise<void> {
  // Without time limits, because much may have to be moved. A pipelined connection could not be ended in
  // the middle.
  const client = new Client({ ...clientSettings(url), pipeline: false })
  client.on('error', () => {})
  const end = () => client.end().catch(() => {})
  signal?.addEventListener('abort', end)
  try {
    await client.connect()
    await commitDurably(client)
    signal?.throwIfAborted()
    const { rows } = await client.query<{ locked: boolean }>(LOCK_PARTITIONS)
    if (!rows[0]!.locked) return
    await client.query(`SET lock_timeout = ${LOCK_MS}; SET statement_timeout = 0`)
    await work(client)
    // Closing the connection releases the lock too, but the server may notice that later.
    await client.query(UNLOCK)
  } catch (error) {
    if (!signal?.aborted) throw asUnavailable(error)
  } finally {
    signal?.removeEventListener('abort', end)
    await end()
  }
}

/** A locked partition, and those after it, are left for the next time: each would make others wait. */
async function untilInUse(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isLocked(error)) throw error
  }
}

async function addMissing(client: pg.ClientBase, now: number): Promise<void> {
  const weeks = new Set(await crowdedWeeks(client))
  for (let week = -WEEKS_BEHIND; week <= WEEKS_AHEAD; week += 1)
    weeks.add(weekOf(now) + week * WEEK_MS)
  for (const { from } of await partitionsOf(client)) weeks.delete(from)
  for (const from of weeks) await addPartition(client, from)
}

/** Creates missing partitions for weeks that will get enough rows to be worth one. */
export async function addWeeks(
  client: pg.ClientBase,
  rows: ReadonlyMap<number, number>,
): Promise<void> {
  const existing = new Set((await partitionsOf(client)).map(({ from }) => from))
  for (const [week, count] of rows) {
    if (count >= CROWDED_ROWS && !existing.has(week)) await addPartition(client, week)
  }
}

async function addPartition(client: pg.ClientBase, from: number): Promise<void> {
  const name = nameOf(from)
  const to = from + WEEK_MS
  await inTransaction(client, async () => {
    await lockPartition(client, 'positions_default')
    await client.query(`CREATE TABLE ${name} (LIKE positions INCLUDING ALL) WITH ${VACUUM}`)
    if (await isDistributed(client)) await layOut(client, { name, placement: 'distributed' })
    await client.query(`
      INSERT INTO ${name} SELECT * FROM positions_default
      WHERE time_device >= ${from} AND time_device < ${to}`)
    await client.query(
      `DELETE FROM positions_default WHERE time_device >= ${from} AND time_device < ${to}`,
    )
    await client.query(
      `ALTER TABLE positions ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    )
  })
}

/**
 * Rows leave a partition when they are packed or purged. The few hidden ones that later counters build on go to the default
 * partition. Shown ones stay: a reader with an older snapshot would find them in neither. Until the partition is detached,
 * only writes into it wait.
 */
async function dropIfEmptied(client: pg.ClientBase, name: string): Promise<void> {
  if (await isNeeded(client, name)) return
  await inTransaction(client, async () => {
    await lockPartition(client, name)
    if (await isNeeded(client, name)) return
    await client.query(`ALTER TABLE positions DETACH PARTITION ${name}`)
    await client.query(`INSERT INTO positions SELECT * FROM ${name}`)
    await client.query(`DROP TABLE ${name}`)
  })
}

async function isNeeded(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query(`
    (SELECT 1 FROM ${name} WHERE hidden IS NULL LIMIT 1)
    UNION ALL (SELECT 1 FROM ${name} OFFSET ${FEW_ROWS} LIMIT 1)`)
  return rows.length > 0
}

/** By time, without the default partition. */
async function partitionsOf(client: pg.ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT relname::text AS name
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'positions'::regclass ORDER BY relname`)
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = /^positions_(\d{4})_(\d\d)_(\d\d)$/.exec(name) ?? []
    if (year === undefined) return []
    const from = Date.UTC(Number(year), Number(month) - 1, Number(day))
    return [{ name, from }]
  })
}

function nameOf(from: number): string {
  return `positions_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '_')}`
}

async function crowdedWeeks(client: pg.ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ moment: number }>(`
    SELECT min(time_device) AS moment FROM positions_default
    GROUP BY (time_device - ${weekOf(0)}) / ${WEEK_MS} HAVING count(*) >= ${CROWDED_ROWS}`)
  return rows.map(({ moment }) => weekOf(moment))
}

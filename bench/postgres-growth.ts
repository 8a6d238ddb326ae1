/**
 * Measures histories of 100, 1,000 and 10,000 rows in databases that `postgres-load.ts` has filled with more and
 * with fewer positions: the median over many objects and ranges, each read once, so that no range profits from
 * the cache of another.
 *
 * node postgres-growth.ts [--json] postgres://…/few postgres://…/many
 *
 * Cold: with COLD="command", which restarts PostgreSQL, the script then empties the system's cache (as root) and
 * measures. Warm: every query ran once before.
 */

import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { withNumbers } from '../packages/server/src/data/postgres/connection/copy-command.ts'
import { openPostgresStore } from '../packages/server/src/data/postgres/open.ts'
import { READ } from '../packages/server/src/data/postgres/positions/history-source.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { type Figure, given, isSmall, median, progress, report } from './report.ts'

const INTERVAL_MS = 60_000
const SIZES = [100, 1_000, 10_000]
const QUERIES = isSmall ? 10 : 60
/** The largest allowed ratio between a history among many positions and one among few. */
const MAX_RATIO = 1.25

type Range = { organization: number; object: number; from: number; to: number }

if (given.length === 0) throw new Error('URLs of databases are missing, the smallest first')
const figures: Figure[] = []
const least = new Map<string, number>()
for (const url of given) await measure(url)
report('history by the number of positions beside it', figures)

async function measure(url: string): Promise<void> {
  const client = await connect(url)
  const total = await client.query(
    `SELECT sum(reltuples)::bigint AS rows FROM pg_class WHERE relname LIKE 'positions%' AND relkind = 'r'`,
  )
  const ranges = new Map<number, Range[]>()
  for (const size of SIZES) ranges.set(size, await anyRanges(client, size))
  for (const [size, asked] of ranges) await tellPages(client, size, asked[0]!, total.rows[0].rows)
  await client.end()
  const name = `${(Number(total.rows[0].rows) / 1e6).toFixed(1)} million`
  const cold = process.env.COLD
  for (const [size, asked] of ranges) {
    if (cold !== undefined) {
      restart(cold)
      add(`${size} rows among ${name}, cold`, `${size} cold`, await askEach(url, asked, size))
    }
    await askEach(url, asked, size)
    add(`${size} rows among ${name}, warm`, `${size} warm`, await askEach(url, asked, size))
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** Random objects, and random starts of ranges with this many rows. */
async function anyRanges(client: pg.Client, size: number): Promise<Range[]> {
  const { rows } = await client.query(
    `
    SELECT organization, object FROM object_states ORDER BY md5(object::text || $1)
    LIMIT ${QUERIES}`,
    [size],
  )
  const { rows: bounds } = await client.query(
    'SELECT min(time_device) AS first, max(time_device) AS last FROM positions',
  )
  const [first, last] = [Number(bounds[0].first), Number(bounds[0].last)]
  const length = (size - 1) * INTERVAL_MS
  return Array.from({ length: QUERIES }, (_, index) => {
    const { organization, object } = rows[index % rows.length]
    const offset = Math.floor((((index * 0.618) % 1) * (last - first - length)) / INTERVAL_MS)
    const from = first + offset * INTERVAL_MS
    return { organization: Number(organization), object: Number(object), from, to: from + length }
  })
}

/** Milliseconds of each query, one after the other. */
async function askEach(url: string, ranges: Range[], size: number): Promise<number[]> {
  const store = await openPostgresStore(url)
  const times: number[] = []
  for (const range of ranges) times.push(await ask(store, range, size))
  await store.close()
  return times
}

async function ask(store: Store, range: Range, size: number): Promise<number> {
  const begun = performance.now()
  const { blocks } = await store.positions.history(range.organization, range.object, range, null)
  let records = 0
  for await (const { rows } of blocks) records += rows
  if (records !== size) throw new Error(`${records} rows where there are ${size}`)
  return performance.now() - begun
}

async function tellPages(client: pg.Client, size: number, range: Range, total: string) {
  const { organization, object, from, to } = range
  const values = [organization, object, from - 1, to, Number.MAX_SAFE_INTEGER, size, 5]
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${withNumbers(READ.text, values)}`,
  )
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  progress(`${size} rows of ${total}: ${pages} pages`)
}

function restart(command: string): void {
  execSync(command, { stdio: 'ignore' })
  execSync('sync')
  writeFileSync('/proc/sys/vm/drop_caches', '3')
}

function add(name: string, kind: string, times: number[]): void {
  const value = median(times)
  const among = least.get(kind)
  if (among === undefined) least.set(kind, value)
  figures.push({
    name,
    value,
    unit: 'ms',
    ...(among === undefined ? {} : { atMost: MAX_RATIO * among }),
  })
}

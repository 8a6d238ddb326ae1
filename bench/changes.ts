/**
 * Follows a fleet of 50,000 objects that report every ten minutes: a first day from the start, and a second day of
 * which one row in a hundred comes late. Compares pages of changes with a history of one object.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { countObjects } from './answered-rows.ts'
import { startFleetgate } from './child-server.ts'
import { addDrive } from './drive.ts'
import { followChanges } from './follow-changes.ts'
import { addDay, addLargeFleet, OBJECTS, ROWS_A_DAY } from './large-fleet.ts'
import { CLIENT_PROCESSOR, pin, processorSeconds, residentBytes } from './processor.ts'
import { type Figure, found, median, progress, report } from './report.ts'
import { historyPath } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

const LATE_SHARE = 0.01
const LONG_ROWS = 100_000
const PAGE_ROWS = 10_000
const MEGABYTE = 2 ** 20
const SAMPLE_MS = 100
/** After this time, an organization may send ten more requests. */
const WINDOW_MS = 10_500

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const store = await openStore({ folder: folder.path })
const fleet = await addLargeFleet(store)
const [long] = await addTenants(store, 1)
await addDrive(store, long!, LONG_ROWS)
progress(`${(OBJECTS * ROWS_A_DAY).toLocaleString('en')} rows of a day`)
await addDay(store, fleet, 0, 0)
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)

progress('pages and histories of one object')
// A server that has just started compiles its code, and loads its places, while it answers.
await onePages(long!)
await pause(WINDOW_MS)
const pages = await onePages(long!)
await pause(WINDOW_MS)
const histories = await oneHistories(long!)
progress('the first day')
const first = await follow('from=history&types=positions')
const figures = found([
  ...figuresOf('first day', first),
  ...ofHistory('a page of one object', pages, histories),
  ...ofHistory('a page of many objects', first, histories),
])
progress('the second day')
await addDay(store, fleet, 1, LATE_SHARE)
await store.close()
const second = await follow(`cursor=${first.cursor}`)
report(`${OBJECTS.toLocaleString('en')} objects, a row each ten minutes`, [
  ...figures,
  ...figuresOf('second day', second),
  ...ofHistory('a page of the log', second, histories),
  {
    name: 'positions that came',
    value: first.rows + second.rows,
    unit: '',
    atLeast: 2 * OBJECTS * ROWS_A_DAY,
  },
])

async function follow(query: string) {
  const begunAt = performance.now()
  const usedBefore = processorSeconds(fleetgate.pid)
  const residentBefore = residentBytes(fleetgate.pid)
  let resident = residentBefore
  const sampling = setInterval(() => {
    resident = Math.max(resident, residentBytes(fleetgate.pid))
  }, SAMPLE_MS)
  let [requests, rows, cursor] = [0, 0, '']
  const times: number[] = []
  for await (const page of followChanges(fleetgate.port, fleet.key, query)) {
    requests += 1
    rows += page.positions
    cursor = page.cursor
    if (page.positions > 0.9 * PAGE_ROWS) times.push((page.ms * PAGE_ROWS) / page.positions)
    if (requests % 100 === 0) progress(`${requests} requests, ${rows.toLocaleString('en')} rows`)
  }
  clearInterval(sampling)
  const used = processorSeconds(fleetgate.pid) - usedBefore
  return {
    ...{ requests, rows, cursor, used },
    rowsPerProcessorSecond: rows / used,
    seconds: (performance.now() - begunAt) / 1_000,
    grewBytes: resident - residentBefore,
    pageMs: median(times),
  }
}

function figuresOf(name: string, run: Awaited<ReturnType<typeof follow>>): Figure[] {
  return [
    { name: `${name}, requests`, value: run.requests, unit: '' },
    { name: `${name}, rows`, value: run.rows, unit: '' },
    { name: `${name}, time`, value: run.seconds, unit: 's' },
    { name: `${name}, rows`, value: run.rows / run.seconds, unit: 'a second' },
    { name: `${name}, processor of the server`, value: run.used, unit: 's' },
    { name: `${name}, rows for each second of it`, value: run.rowsPerProcessorSecond, unit: '' },
    { name: `${name}, memory grew`, value: run.grewBytes / MEGABYTE, unit: 'MB' },
  ]
}

/** Pages of 10,000 rows: the median of their times, and the rows for each second of the server's processor. */
type Pages = { pageMs: number; rowsPerProcessorSecond: number }

async function onePages({ key }: Tenant): Promise<Pages> {
  return timed(async (times) => {
    for await (const page of followChanges(fleetgate.port, key, 'from=history&types=positions')) {
      if (page.positions === PAGE_ROWS) times.push(page.ms)
    }
  })
}

async function oneHistories(tenant: Tenant): Promise<Pages> {
  const path = `${historyPath(tenant, LONG_ROWS)}&limit=${PAGE_ROWS}`
  return timed(async (times) => {
    for (let each = 0; each < 10; each += 1) {
      const begunAt = performance.now()
      const { objects } = await countObjects(fleetgate.port, path, { 'x-api-key': tenant.key })
      // The envelope is an object too.
      if (objects !== PAGE_ROWS + 1) throw new Error(`${objects} rows`)
      times.push(performance.now() - begunAt)
    }
  })
}

async function timed(read: (times: number[]) => Promise<void>): Promise<Pages> {
  const usedBefore = processorSeconds(fleetgate.pid)
  const times: number[] = []
  await read(times)
  const used = processorSeconds(fleetgate.pid) - usedBefore
  return { pageMs: median(times), rowsPerProcessorSecond: (times.length * PAGE_ROWS) / used }
}

/** The bar: half of the rows of a history. */
function ofHistory(name: string, pages: Pages, history: Pages): Figure[] {
  return [
    {
      name: `rows a second of ${name}, of a history`,
      value: history.pageMs / pages.pageMs,
      unit: '',
      atLeast: 0.5,
    },
    {
      name: `rows a second of ${name}, of a history, by processor time`,
      value: pages.rowsPerProcessorSecond / history.rowsPerProcessorSecond,
      unit: '',
      atLeast: 0.5,
    },
  ]
}

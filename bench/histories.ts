/**
 * Measures histories of 100 to 100,000 rows, plain and in gzip, of a server with a data folder and one processor,
 * in rows a second.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin, threadSeconds } from './processor.ts'
import { readHistory } from './read-history.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { historyPath } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

/**
 * Each tenant has as many rows as its longest history; `requests` is its number of requests in one measurement.
 */
const FLEETS = [
  {
    tenants: isSmall ? 50 : 1_000,
    sizes: [
      { rows: 100, times: 2 },
      { rows: 1_000, times: 2 },
    ],
  },
  {
    tenants: isSmall ? 4 : 20,
    sizes: [
      { rows: 10_000, times: 3 },
      { rows: 100_000, times: 1 },
    ],
  },
]
const CODINGS = ['identity', 'gzip'] as const
const AT_ONCE = 4
/** The first round warms up and does not count. */
const ROUNDS = isSmall ? 3 : 6
/** After this time, tenants that filled their rate windows in a round may send more. */
const WINDOW_MS = 10_000

type Speed = { perSecond: number; perProcessorSecond: number; bytesPerRow: number }
type Measured = { name: string; rounds: Speed[] }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const fleets = await fill(folder.path)
pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const measurements = fleets.flatMap(({ tenants, sizes }) =>
  sizes.flatMap(({ rows, times }) =>
    CODINGS.map((coding) => ({
      name: `${rows.toLocaleString('en')} rows${coding === 'gzip' ? ', gzip' : ''}`,
      rounds: [] as Speed[],
      measure: () => measure(tenants, rows, times, coding),
    })),
  ),
)
for (let i = 0; i < ROUNDS; i++) {
  progress(i === 0 ? 'warming up' : `round ${i} of ${ROUNDS - 1}`)
  await pause(WINDOW_MS)
  for (const { rounds, measure } of measurements) {
    const speed = await measure()
    if (i > 0) rounds.push(speed)
  }
}
report('histories of a server on a data folder, on one processor', measurements.flatMap(figuresOf))

function figuresOf({ name, rounds }: Measured): Figure[] {
  return [
    { name, ...overRounds(rounds, ({ perSecond }) => perSecond), unit: 'rows/s' },
    {
      name: `${name}, by processor second`,
      ...overRounds(rounds, ({ perProcessorSecond }) => perProcessorSecond),
      unit: 'rows',
    },
    { name: `${name}, of a row`, value: rounds[0]!.bytesPerRow, unit: 'bytes' },
  ]
}

/** Rows a second while every tenant sends its requests, several at once. */
async function measure(
  tenants: Tenant[],
  rows: number,
  times: number,
  coding: (typeof CODINGS)[number],
): Promise<Speed> {
  const asking = Array.from({ length: times }, () => tenants).flat()
  const answers = asking.length
  const processorBefore = threadSeconds(fleetgate.pid)
  const start = performance.now()
  let bytes = 0
  const ask = async () => {
    for (let tenant = asking.pop(); tenant !== undefined; tenant = asking.pop()) {
      const path = historyPath(tenant, rows)
      const answer = await readHistory({ port: fleetgate.port, path, key: tenant.key, coding })
      if (answer.rows !== rows) throw new Error(`${answer.rows} rows came, not ${rows}`)
      bytes += answer.bytes
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const seconds = (performance.now() - start) / 1000
  const read = answers * rows
  return {
    perSecond: read / seconds,
    perProcessorSecond: read / (threadSeconds(fleetgate.pid) - processorBefore),
    bytesPerRow: bytes / read,
  }
}

async function fill(data: string) {
  const store = await openStore({ folder: data })
  const filled: { tenants: Tenant[]; sizes: (typeof FLEETS)[number]['sizes'] }[] = []
  for (const { tenants: count, sizes } of FLEETS) {
    const rows = sizes.at(-1)!.rows
    progress(`${count} organizations with ${rows.toLocaleString('en')} rows each`)
    const tenants = await addTenants(store, count)
    for (const tenant of tenants) await addDrive(store, tenant, rows)
    filled.push({ tenants, sizes })
  }
  await store.close()
  return filled
}

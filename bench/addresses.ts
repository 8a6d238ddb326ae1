/**
 * Compares histories whose rows mostly have no address: a server that finds it on reading, and one with
 * `--geocoder off`. Two servers of the same build take turns, each with a copy of the data.
 */
import { cpSync, mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { type ChildServer, startFleetgate } from './child-server.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin, threadSeconds } from './processor.ts'
import { readHistory } from './read-history.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { historyPath, rotation } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

/**
 * Each tenant has as many rows as its longest history. For each length, a round has this many pairs of bursts,
 * one for each server. A burst takes a server some 0.1 s, because the speed of a processor changes from one
 * second to the next.
 */
const FLEETS = [
  {
    tenants: 500,
    sizes: [
      { rows: 100, burst: 200, pairs: 12 },
      { rows: 1_000, burst: 50, pairs: 12 },
    ],
  },
  {
    tenants: 10,
    sizes: [
      { rows: 10_000, burst: 5, pairs: 12 },
      { rows: 100_000, burst: 1, pairs: 8 },
    ],
  },
]
const AT_ONCE = 4
const ROUNDS = isSmall ? 3 : 5
/** Warm-up rounds, which do not count. */
const COLD_ROUNDS = isSmall ? 1 : 2
/** An organization may send ten more requests after this time. */
const WINDOW_MS = 10_000

/** The server's cost for the rows of a burst. */
type Cost = { seconds: number; rows: number; bytes: number }
type Pair = { found: Cost; off: Cost }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const [filled, first, second] = ['filled', 'found', 'off'].map((name) =>
  join(folder.path, name),
) as [string, string, string]
mkdirSync(filled)
const fleets = await fill(filled)
// Both are copies, because a copied file is faster to read than one that has grown.
for (const copy of [first, second]) cpSync(filled, copy, { recursive: true })

pin(process.pid, CLIENT_PROCESSOR)
await using found = await startFleetgate(first)
await using off = await startFleetgate(second, ['--data', second, '--geocoder', 'off'])
const servers = { found, off }

const measurements = fleets.flatMap(({ tenants, sizes }) => {
  const next = rotation(tenants)
  return sizes.map((size) => ({ ...size, next, pairs: [] as Pair[], count: size.pairs }))
})
for (let i = 0; i < ROUNDS; i++) {
  progress(i < COLD_ROUNDS ? 'warming up' : `round ${i + 1} of ${ROUNDS}`)
  await pause(WINDOW_MS)
  for (const { next, rows, burst, count, pairs } of measurements) {
    for (let n = 0; n < count; n++) {
      const asking = Array.from({ length: burst }, next)
      const pair: Partial<Pair> = {}
      // Each of the two goes first equally often.
      for (const name of n % 2 === 0 ? (['found', 'off'] as const) : (['off', 'found'] as const)) {
        pair[name] = await measure(servers[name], asking, rows)
      }
      if (i >= COLD_ROUNDS) pairs.push(pair as Pair)
    }
  }
}
report(
  'histories with addresses found at reading, by processor time',
  measurements.flatMap(figuresOf),
)

function figuresOf({ rows, pairs }: (typeof measurements)[number]): Figure[] {
  const name = `${rows.toLocaleString('en')} rows`
  const perRow = ({ seconds, rows: read }: Cost) => seconds / read
  const perByte = ({ seconds, bytes }: Cost) => seconds / bytes
  return [
    {
      name: `${name}, a row, of one with --geocoder off`,
      ...overRounds(pairs, ({ found, off }) => perRow(found) / perRow(off)),
      unit: '',
      atMost: 1.1,
    },
    {
      name: `${name}, a byte, of one with --geocoder off`,
      ...overRounds(pairs, ({ found, off }) => perByte(found) / perByte(off)),
      unit: '',
    },
    { name, ...overRounds(pairs, ({ found }) => perRow(found) * 1e6), unit: 'µs/row' },
    {
      name: `${name}, of a row`,
      value: pairs[0]!.found.bytes / pairs[0]!.found.rows,
      unit: 'bytes',
    },
    {
      name: `${name}, of a row with --geocoder off`,
      value: pairs[0]!.off.bytes / pairs[0]!.off.rows,
      unit: 'bytes',
    },
  ]
}

async function measure(
  server: ChildServer,
  tenants: readonly Tenant[],
  rows: number,
): Promise<Cost> {
  const asking = [...tenants]
  const before = threadSeconds(server.pid)
  let bytes = 0
  const ask = async () => {
    for (let tenant = asking.pop(); tenant !== undefined; tenant = asking.pop()) {
      const path = historyPath(tenant, rows)
      const answer = await readHistory({
        port: server.port,
        path,
        key: tenant.key,
        coding: 'identity',
      })
      if (answer.rows !== rows) throw new Error(`${answer.rows} rows came, not ${rows}`)
      bytes += answer.bytes
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return { seconds: threadSeconds(server.pid) - before, rows: tenants.length * rows, bytes }
}

async function fill(data: string) {
  const store = await openStore({ folder: data })
  const added: { tenants: Tenant[]; sizes: (typeof FLEETS)[number]['sizes'] }[] = []
  for (const { tenants: count, sizes } of FLEETS) {
    const rows = sizes.at(-1)!.rows
    progress(`${count} organizations with ${rows.toLocaleString('en')} rows each`)
    const tenants = await addTenants(store, count)
    for (const tenant of tenants) await addDrive(store, tenant, rows)
    added.push({ tenants, sizes })
  }
  await store.close()
  return added
}

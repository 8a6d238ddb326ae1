/**
 * Compares the processor time of answers of this checkout with that of others, in short alternating rounds on the same
 * processor: `node bench/side-by-side.ts ../other [../another]`: a detail, the latest position, a list, a history and
 * a page of changes. A ratio above 1 means that the other checkout takes more. Other work on the machine makes rounds
 * slower, never faster, so the figures are those of the fastest quarter of the rounds. Two processes of one checkout
 * differ by some percent: name this one again to see by how much. `--shared`: on a PostgreSQL and
 * a Redis for each checkout, of which the servers' own time counts. `--sleeping` lets the client sleep between answers,
 * as real clients do.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilAtRest } from './at-rest.ts'
import { type Checkout, openCheckouts } from './checkouts.ts'
import { type ChildFleetgate, startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isShared, isSleeping, isSmall, percentile, progress, report } from './report.ts'
import { detailPath, getRequest, historyPath, rotation } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import type { Tenant } from './tenants.ts'

const CONNECTIONS = 64
const ROUNDS = isSmall ? 4 : 60
const WARM_UPS = isSmall ? 2 : 8
const ROWS = 1_000
/** So many that no organization sends more than its rate window admits. */
const TENANTS = isSmall ? 3_000 : 24_000
const DRIVERS = 300

type Kind = { name: string; path(tenant: Tenant): string; isOfDrives?: true; requests: number }

const KINDS: readonly Kind[] = [
  { name: 'detail', path: detailPath, requests: 4_000 },
  {
    name: 'latest',
    path: ({ object }) => `/public/v1/positions/latest?ids=${object}`,
    requests: 2_000,
  },
  { name: 'list', path: () => '/public/v1/objects', requests: 2_000 },
  {
    ...{ name: `history of ${ROWS} rows`, isOfDrives: true, requests: 100 },
    path: (tenant) => historyPath(tenant, ROWS),
  },
  {
    ...{ name: `${ROWS} changes`, isOfDrives: true, requests: 100 },
    path: () => `/public/v1/changes?types=positions&from=history&limit=${ROWS}`,
  },
]

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
await using servers = new AsyncDisposableStack()

type Compared = { name: string; server: ChildFleetgate; next: (() => Buffer)[] }
const compared: Compared[] = []
for (const checkout of await openCheckouts()) compared.push(await start(checkout, compared.length))

async function start(checkout: Checkout, index: number): Promise<Compared> {
  const { name, bin, openStore, addDrivers } = checkout
  progress(`${name}: ${TENANTS} organizations, each with a key and an object that has reported`)
  const data = join(folder.path, String(index))
  mkdirSync(data)
  const shared = isShared ? servers.use(await startSharedDeployment()) : undefined
  const store = await openStore(shared === undefined ? { folder: data } : shared)
  const load = async () => [
    await addDrivers(store, TENANTS, 1),
    await addDrivers(store, DRIVERS, ROWS),
  ]
  const [tenants, drivers] = await (shared?.whileLoading(load) ?? load())
  await store.close()
  const server = servers.use(await startFleetgate(data, shared?.place, bin))
  await untilAtRest(server.pid)
  const next = KINDS.map(({ path, isOfDrives }) =>
    rotation(
      (isOfDrives ? drivers! : tenants!).map((each) =>
        getRequest(path(each), { 'x-api-key': each.key }),
      ),
    ),
  )
  return { name, server, next }
}

/** Microseconds of processor time for each answer. */
async function ask({ server, next }: Compared, kind: number): Promise<number> {
  let remaining = KINDS[kind]!.requests / (isSmall ? 4 : 1)
  const request = () => (remaining-- > 0 ? next[kind]!() : undefined)
  const round = await closedLoop(server, request, CONNECTIONS, Infinity, 200, isSleeping)
  if (round.others > 0) throw new Error(`${round.others} answers were not 200`)
  return 1e6 / round.perProcessorSecond
}

for (const [kind, { name }] of KINDS.entries()) {
  const rounds: number[][] = []
  for (let round = 1 - WARM_UPS; round <= ROUNDS; round += 1) {
    const figures: number[] = []
    // Each of them comes first in turn: what was asked last finds its data in the caches.
    for (let i = 0; i < compared.length; i += 1) {
      const index = (i + Math.abs(round)) % compared.length
      figures[index] = await ask(compared[index]!, kind)
    }
    if (round > 0) rounds.push(figures)
  }
  const [own, ...others] = compared.map((each, index) => ({
    name: each.name,
    us: percentile(
      rounds.map((figures) => figures[index]!),
      0.25,
    ),
  }))
  report(`${name} of several checkouts, by processor time`, [
    { name: 'this checkout', value: own!.us, unit: 'µs' },
    ...others.map((other) => ({
      name: `${other.name}, of this checkout`,
      value: other.us / own!.us,
      unit: '',
    })),
  ])
}

/**
 * Compares one process on PostgreSQL and Redis with two that share a port: an object's detail, the last positions
 * of 100 objects, histories of 10,000 rows. Processes, databases and client share the machine's processors.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/run/compose.ts'
import { type ChildServer, startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { addDrive, DRIVE_START } from './drive.ts'
import { addFleets, type Fleet } from './fleets.ts'
import { familyProcessorSeconds, processorSeconds, unpinFamily } from './processor.ts'
import { readHistory } from './read-history.ts'
import { repeatDrive } from './repeat-drive.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { getRequest, historyPath } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const IDS = 100
const FLEETS = isSmall ? 100 : 600
const REQUESTS_EACH = 9
const CONNECTIONS = 64
const ROWS = 10_000
const TENANTS = isSmall ? 10 : 100
const AT_ONCE = 4
/** The first round warms up and does not count. */
const ROUNDS = isSmall ? 3 : 6
const WINDOW_MS = 10_000

/** Answers or rows a second, and microseconds of processor time for each. */
type Costs = { perSecond: number; fleetgate: number; postgres: number; redis: number }
type Kind = { name: string; unit: string; run(server: ChildServer): Promise<number> }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
progress(`${TENANTS} organizations with ${ROWS} rows, ${FLEETS} with ${IDS} objects`)
const { tenants, fleets } = await fill()

await using one = await serve('one', [])
await using two = await serve('two', ['--processes', '2'])
const servers = [
  { server: one, name: '1 process' },
  { server: two, name: '2 processes' },
]
const kinds: Kind[] = [
  { name: 'detail', unit: 'requests', run: (server) => burst(server, details(fleets)) },
  {
    name: `latest of ${IDS} ids`,
    unit: 'requests',
    run: (server) => burst(server, latests(fleets)),
  },
  { name: `history of ${ROWS.toLocaleString('en')} rows`, unit: 'rows', run: histories },
]
const figures: Figure[] = []
for (const kind of kinds) figures.push(...(await measure(kind)))
report('PostgreSQL and Redis, one process and two', figures)

/** The deployments take turns, each after the windows, which all processes share, are empty. */
async function measure({ name, unit, run }: Kind): Promise<Figure[]> {
  const rounds: Costs[][] = []
  for (let i = 0; i < ROUNDS; i++) {
    progress(`${name}: ${i === 0 ? 'warming up' : `round ${i} of ${ROUNDS - 1}`}`)
    const round: Costs[] = []
    for (const { server } of servers) {
      await pause(WINDOW_MS)
      round.push(await costsOf(server, () => run(server)))
    }
    if (i > 0) rounds.push(round)
  }
  return [
    ...servers.flatMap((server, i) => {
      const of = (key: keyof Costs) => overRounds(rounds, (round) => round[i]![key])
      const each = unit === 'rows' ? 'us a row' : 'us a request'
      return [
        { name: `${name}, ${server.name}`, ...of('perSecond'), unit: `${unit}/s` },
        { name: `${name}, ${server.name}: Fleetgate`, ...of('fleetgate'), unit: each },
        { name: `${name}, ${server.name}: PostgreSQL`, ...of('postgres'), unit: each },
        { name: `${name}, ${server.name}: Redis`, ...of('redis'), unit: each },
      ]
    }),
    {
      name: `${name}, 2 processes of 1`,
      ...overRounds(rounds, ([first, second]) => second!.perSecond / first!.perSecond),
      unit: '',
    },
  ]
}

async function costsOf(server: ChildServer, run: () => Promise<number>): Promise<Costs> {
  const used = () => ({
    fleetgate: familyProcessorSeconds(server.pid),
    postgres: familyProcessorSeconds(deployment.postgresPid),
    redis: processorSeconds(deployment.redis.pid),
  })
  const before = used()
  const start = performance.now()
  const done = await run()
  const seconds = (performance.now() - start) / 1000
  const after = used()
  const each = (key: keyof typeof after) => ((after[key] - before[key]) * 1e6) / done
  return {
    perSecond: done / seconds,
    fleetgate: each('fleetgate'),
    postgres: each('postgres'),
    redis: each('redis'),
  }
}

async function burst(server: ChildServer, requests: Buffer[]): Promise<number> {
  let sent = 0
  const { ok, others } = await closedLoop(server, () => requests[sent++], CONNECTIONS, Infinity)
  if (others > 0) throw new Error(`${others} answers were not 200`)
  return ok
}

function details(asking: Fleet[]): Buffer[] {
  return requestsOf(asking, ({ objects }, i) => `/objects/${objects[i]}`)
}

function latests(asking: Fleet[]): Buffer[] {
  return requestsOf(asking, ({ objects }) => `/positions/latest?ids=${objects.join()}`)
}

function requestsOf(asking: Fleet[], path: (fleet: Fleet, i: number) => string): Buffer[] {
  return Array.from({ length: REQUESTS_EACH }, (_, i) =>
    asking.map((fleet) => getRequest(`/public/v1${path(fleet, i)}`, { 'x-api-key': fleet.key })),
  ).flat()
}

/** Number of rows: one history of each tenant, several at once. */
async function histories({ port }: ChildServer): Promise<number> {
  const left = [...tenants]
  const ask = async () => {
    for (let tenant = left.pop(); tenant !== undefined; tenant = left.pop()) {
      const request = { path: historyPath(tenant, ROWS), key: tenant.key }
      const { rows } = await readHistory({ ...request, port, coding: 'identity' })
      if (rows !== ROWS) throw new Error(`${rows} rows came, not ${ROWS}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return tenants.length * ROWS
}

async function serve(name: string, more: string[]) {
  const own = join(folder.path, name)
  mkdirSync(own)
  const server = await startFleetgate(own, [...deployment.place, ...more])
  unpinFamily(server.pid)
  return server
}

async function fill(): Promise<{ tenants: Tenant[]; fleets: Fleet[] }> {
  const store = await openStore({ database: deployment.database })
  // The partitions of these weeks, as upkeep makes them in advance.
  await store.positions.makeRoom(DRIVE_START)
  const tenants = await addTenants(store, TENANTS)
  await addDrive(store, tenants[0]!, ROWS)
  await repeatDrive(deployment.sql, tenants[0]!)
  const fleets = await addFleets(store, FLEETS, IDS)
  await store.close()
  return { tenants, fleets }
}

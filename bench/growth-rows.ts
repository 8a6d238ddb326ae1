/**
 * Measures answers among 1,000,000, 10,000,000 and 100,000,000 positions, loaded as a live fleet writes them:
 * histories of 100, 1,000 and 10,000 rows and an object's detail, from one server for each size in turns, and the
 * start of each compared with that of an empty store.
 *
 * node growth-rows.ts [--small] [--json] [positions …, the fewest first]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { DRIVE_START } from './drive.ts'
import { firstAnswerMs } from './first-answer.ts'
import { type Loaded, loadInterleaved } from './interleaved-rows.ts'
import { type Ask, paced } from './paced.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import {
  type Figure,
  found,
  given,
  isSmall,
  median,
  overRounds,
  progress,
  report,
} from './report.ts'
import { detailPath, rangePath } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

/** Each object has one fix a second for seven hours. A larger store has more objects. */
const ROWS_EACH = isSmall ? 10_000 : 25_000
const POSITIONS = given.length > 0 ? given.map(Number) : isSmall ? [1e5, 4e5] : [1e6, 1e7, 1e8]
/** Rows of a history; 0 for an object's detail. */
const ANSWERS = [0, 100, 1_000, 10_000]
/** Queries of one kind in a round: random objects, and random starts within their rows. */
const QUERIES = isSmall ? 10 : 60
const COLD_QUERIES = isSmall ? 4 : 20
const ROUNDS = isSmall ? 2 : 5
const STARTS = isSmall ? 2 : 7
/** The largest allowed ratio between an answer among the most positions and one among the fewest. */
const MAX_GROWTH_RATIO = 1.25
const MAX_START_RATIO = 1.5
const START_JUDGED_AT = 1e7

type Store = Loaded & { folder: string; name: string }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
const stores: Store[] = []
for (const positions of POSITIONS) stores.push(await load(positions))
const [fewest, most] = [stores[0]!, stores.at(-1)!]
report('answers and starts by the number of positions', [
  ...found(
    stores.flatMap(({ name, rows, seconds, bytes }) => [
      { name: `loaded, ${name}`, value: rows / seconds, unit: 'rows/s' },
      { name: `a position, ${name}`, value: bytes / rows, unit: 'bytes' },
    ]),
  ),
  ...found(await warmFigures()),
  ...found(await coldFigures()),
  ...found(await startFigures()),
])

async function load(positions: number): Promise<Store> {
  const name = `among ${positions.toLocaleString('en')}`
  progress(`loading ${positions.toLocaleString('en')} positions`)
  const data = join(folder.path, `${positions}`)
  mkdirSync(data)
  return { ...(await loadInterleaved(data, positions / ROWS_EACH, ROWS_EACH)), folder: data, name }
}

/** Every query ran once before, so its rows are in memory. */
async function warmFigures(): Promise<Figure[]> {
  await using servers = new AsyncDisposableStack()
  const asked = []
  for (const store of stores) {
    const server = servers.use(await startFleetgate(store.folder))
    asked.push({ store, ask: paced(server.port) })
  }
  const figures: Figure[] = []
  for (const rows of ANSWERS) {
    const rounds: Map<Store, number>[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      progress(`${nameOf(rows)}: ${round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`}`)
      const times = new Map(stores.map((store) => [store, [] as number[]]))
      for (let query = 0; query < QUERIES; query++) {
        for (const { store, ask } of asked) {
          times.get(store)!.push(await askFor(ask, store, rows, query))
        }
      }
      const middles = Array.from(times, ([store, ms]) => [store, median(ms)] as const)
      if (round > 0) rounds.push(new Map(middles))
    }
    figures.push(
      {
        name: `${nameOf(rows)}, ${most.name}, of that ${fewest.name}`,
        ...overRounds(rounds, (round) => round.get(most)! / round.get(fewest)!),
        unit: 'times',
        atMost: MAX_GROWTH_RATIO,
      },
      ...stores.map((store) => ({
        name: `${nameOf(rows)}, ${store.name}`,
        ...overRounds(rounds, (round) => round.get(store)!),
        unit: 'ms',
      })),
    )
  }
  return figures
}

/** The server was just started, and nothing of its database is in memory. */
async function coldFigures(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const rows of ANSWERS) {
    for (const store of stores) {
      progress(`${nameOf(rows)}, ${store.name}, cold`)
      forget(join(store.folder, DATABASE_FILE))
      await using server = await startFleetgate(store.folder)
      const ask = paced(server.port)
      const times: number[] = []
      for (let query = 0; query < COLD_QUERIES; query++) {
        times.push(await askFor(ask, store, rows, query))
      }
      figures.push({
        name: `${nameOf(rows)}, ${store.name}, cold`,
        value: median(times),
        spread: [Math.min(...times), Math.max(...times)],
        unit: 'ms',
      })
    }
  }
  return figures
}

async function startFigures(): Promise<Figure[]> {
  const none = join(folder.path, 'none')
  mkdirSync(none)
  const store = await openStore({ folder: none })
  const [first] = (await addTenants(store, 1)) as [Tenant]
  await store.close()
  const rounds: { empty: number; full: Map<Store, number> }[] = []
  for (let round = 0; round <= STARTS; round++) {
    progress(`starts: ${round === 0 ? 'warming up' : `round ${round} of ${STARTS}`}`)
    const empty = await firstAnswerMs(none, detailPath(first), first.key)
    const full = new Map<Store, number>()
    for (const each of stores) {
      const tenant = tenantOf(each, round)
      full.set(each, await firstAnswerMs(each.folder, detailPath(tenant), tenant.key))
    }
    if (round > 0) rounds.push({ empty, full })
  }
  return [
    { name: 'start, empty', ...overRounds(rounds, ({ empty }) => empty), unit: 'ms' },
    ...stores.flatMap((each) => [
      {
        name: `start, ${each.name}`,
        ...overRounds(rounds, ({ full }) => full.get(each)!),
        unit: 'ms',
      },
      {
        name: `start, ${each.name}, of that of an empty store`,
        ...overRounds(rounds, ({ empty, full }) => full.get(each)! / empty),
        unit: 'times',
        ...(each.rows === START_JUDGED_AT ? { atMost: MAX_START_RATIO } : {}),
      },
    ]),
  ]
}

function askFor(ask: Ask, store: Store, rows: number, query: number): Promise<number> {
  // The answer itself is one object, and an object's detail contains three.
  const objects = rows === 0 ? 4 : 1 + rows
  return ask(tenantOf(store, query), pathOf(store, rows, query), objects)
}

/** A different tenant for each query, and the same ones in each round. */
function tenantOf({ tenants }: Store, query: number): Tenant {
  return tenants[Math.floor(((query * 0.618_034) % 1) * tenants.length)]!
}

function pathOf(store: Store, rows: number, query: number): string {
  const tenant = tenantOf(store, query)
  if (rows === 0) return detailPath(tenant)
  const first = Math.floor(((query * 0.414_214) % 1) * (ROWS_EACH - rows))
  const from = DRIVE_START + first * 1000
  return rangePath(tenant, from, from + (rows - 1) * 1000)
}

function nameOf(rows: number): string {
  return rows === 0 ? 'detail' : `history of ${rows.toLocaleString('en')} rows`
}

/** Makes the system drop a closed file from its cache. */
function forget(file: string): void {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

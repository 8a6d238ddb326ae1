/**
 * Measures the costs of a Citus: `node bench/distributed.ts`. The same operations of the store run on one PostgreSQL, on a coordinator
 * that holds the rows itself, and on a coordinator with two workers, all of them in memory on this machine. Prints the
 * time and the processor time of each operation, by process.
 */
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresStore } from '../packages/server/src/data/postgres/open.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { newCitusDatabase, startCitus } from '../packages/server/testing/servers/citus.ts'
import { newDatabase } from '../packages/server/testing/servers/postgres.ts'
import { startRedis } from '../packages/server/testing/servers/redis.ts'
import {
  fixAt,
  newObject,
  newOrganization,
  PLAIN,
  recordsOf,
} from '../packages/server/testing/store-contract/fixture.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { addDrivers } from './drive.ts'
import { processorSeconds } from './processor.ts'
import { detailRequest, rotation } from './requests.ts'
import type { Tenant } from './tenants.ts'

const ORGANIZATIONS = 8
const BATCHES = 400
const BATCH = 200
const SINGLES = 2_000
const HISTORIES = 160
const PAGES = 800
/** Organizations whose object is asked for, and requests of each: their windows admit ten. */
const ASKERS = 400
const DETAILS = 9
const AT_ONCE = 8
const START = Date.parse('2026-11-16T00:00:00Z')
const TICKS_MS = 10

type Fed = { organization: number; object: number; at: number }

const citus = await startCitus()
const redis = await startRedis()
try {
  const servers = [citus.url, ...citus.workerUrls]
  const plain = await newDatabase(citus.url, 'plain')
  await measure('one PostgreSQL', plain)
  const alone = await newCitusDatabase([citus.url], 'alone', { isLaidOut: true, holdsRows: true })
  await measure('a coordinator alone', alone)
  const both = await newCitusDatabase(servers, 'two_workers')
  await measure('a coordinator and two workers', both)
} finally {
  await Promise.all([citus.stop(), redis.stop()])
}

async function measure(name: string, url: string): Promise<void> {
  const store = await openPostgresStore(url)
  const fed: Fed[] = []
  for (let index = 0; index < ORGANIZATIONS; index += 1) {
    const organization = await newOrganization(store, `${index}`)
    fed.push({ organization, object: await newObject(store, organization), at: START })
  }
  console.log(`\n${name}`)
  await timed(
    'batches of 200 positions',
    BATCHES,
    (turn) => send(store, fed[turn]!, BATCH),
    fed.length,
  )
  await timed('single positions', SINGLES, (turn) => send(store, fed[turn]!, 1), fed.length)
  await timed('histories of 10,000 rows', HISTORIES, (turn) => read(store, fed[turn]!), fed.length)
  await timed(
    'pages of changes',
    PAGES,
    (turn) => store.changeLog.view(fed[turn]!.organization, (view) => view.changes(0, 100)),
    fed.length,
  )
  const askers = await addDrivers(store, ASKERS, 1)
  await store.close()
  await measureDetails(url, askers)
}

/** Over HTTP, because a process and Redis answer them. */
async function measureDetails(url: string, askers: Tenant[]): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  const place = ['--database', url, '--redis', redis.patientUrl]
  await using server = await startFleetgate(folder.path, place)
  const give = rotation(askers.map(detailRequest))
  const count = askers.length * DETAILS
  let left = count
  const next = () => (left-- > 0 ? give() : undefined)
  await cost('GET /objects/{id}', count, processorsOf(server.pid), async () => {
    const { others } = await closedLoop(server, next, AT_ONCE, Infinity)
    if (others > 0) throw new Error(`${others} answers were not 200`)
  })
}

async function send(store: Store, own: Fed, count: number): Promise<void> {
  const batch = Array.from({ length: count }, () => {
    own.at += 1_000
    return { object: own.object, fix: fixAt(own.at) }
  })
  await store.positions.append(own.organization, batch, PLAIN)
}

async function read(store: Store, { organization, object }: Fed): Promise<void> {
  const range = { from: START, to: START + 10_000_000 }
  const history = await store.positions.history(organization, object, range, 10_000)
  await recordsOf(history)
}

/** `work` runs in turn for each of the owners, some at once, and as a part of this process. */
async function timed(
  what: string,
  count: number,
  work: (turn: number) => Promise<unknown>,
  owners: number,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++ % owners)
  }
  await cost(what, count, processorsOf(process.pid), () =>
    Promise.all(Array.from({ length: AT_ONCE }, lane)),
  )
}

/** Prints what one of `count` operations costs. */
async function cost(
  what: string,
  count: number,
  processorMs: () => Record<string, number>,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = processorMs()
  const began = performance.now()
  await work()
  const tookMs = performance.now() - began
  const after = processorMs()
  const each = Object.entries(after).map(
    ([part, ms]) => `${part} ${((ms - before[part]!) / count).toFixed(3)}`,
  )
  console.log(
    `  ${what}: ${Math.round((count * 1_000) / tookMs)}/s; processor ms of each: ${each.join(', ')}`,
  )
}

/** The processor time of a process of Fleetgate, of Redis, and of each server with its sessions. */
function processorsOf(fleetgate: number): () => Record<string, number> {
  return () => {
    const found: Record<string, number> = {
      fleetgate: processorSeconds(fleetgate) * 1_000,
      redis: processorSeconds(redis.pid) * 1_000,
    }
    const stats = readdirSync('/proc').flatMap((pid) =>
      /^\d+$/.test(pid) ? (statOf(pid) ?? []) : [],
    )
    for (const [index, server] of citus.processIds().entries()) {
      const ticks = stats.reduce((sum, { pid, parent, own, ended }) => {
        if (pid === server) return sum + own + ended
        return parent === server ? sum + own : sum
      }, 0)
      found[index === 0 ? 'coordinator' : `worker ${index}`] = ticks * TICKS_MS
    }
    return found
  }
}

function statOf(pid: string) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
    const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((at) => fields[at]!)
    return { pid: Number(pid), parent, own: utime! + stime!, ended: cutime! + cstime! }
  } catch {
    return undefined
  }
}

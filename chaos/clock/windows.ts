import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addTenants } from '../../bench/tenants.ts'
import { seeded } from '../../packages/server/src/demo/random.ts'
import { openPostgresStore } from '../../packages/server/src/store/postgres/open.ts'
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { startPostgres } from '../../packages/server/testing/servers/postgres.ts'
import { postgresBinaries } from '../../packages/server/testing/servers/postgres-binaries.ts'
import type { Finding, Trial } from '../part.ts'
import { type SignalledServer, startServer } from '../server.ts'
import { type FakeClock, fakeClock } from './fake-clock.ts'
import { hasRedis, startRedisUnder } from './redis-under.ts'
import { type Stepped, stepUnderLoad } from './stepping.ts'
import { extraOf, longestBlock } from './window-judge.ts'

const ORGANIZATIONS = 12
const SPAN_S = 10
/** The allowed effect of a step of the clock. */
type Effect = { extra: number; beginsWaitAnew: boolean }
const NO_EFFECT: Effect = { extra: 0, beginsWaitAnew: false }
const A_WINDOW_EACH: Effect = { extra: 10, beginsWaitAnew: true }
const STEPS = { minutes: 4, hours: 60 }

/** Steps the clock of a server with its own windows. */
export async function stepServer(trial: Trial, clock: FakeClock): Promise<Finding[]> {
  const folder = join(trial.folder, 'stepped')
  const tenants = await tenantsOf(await openSqliteStore(folder))
  const server = await startServer(['--data', folder], clock.environment)
  const stepped = await stepUnderLoad(
    clock,
    [originOf(server)],
    tenants,
    trial.amount(STEPS),
    seeded('stepped server', trial.seed),
  )
  server.signal('SIGTERM')
  await server.ended
  return findingsOf('a server over a data folder', stepped, NO_EFFECT, [server])
}

/** Steps the clock of the Redis that two servers share. */
export async function stepRedis(trial: Trial): Promise<Finding[]> {
  if (!hasRedis()) return [leftOut('no redis-server')]
  if (postgresBinaries().length === 0) return [leftOut('no PostgreSQL')]
  await using opened = new AsyncDisposableStack()
  const folder = join(trial.folder, 'redis')
  mkdirSync(folder)
  const clock = fakeClock(folder, 'redis')!
  const redis = opened.use(await startRedisUnder(clock, folder))
  if (redis === undefined) return [leftOut('this redis-server does not start under libfaketime')]
  const postgres = await startPostgres()
  opened.defer(() => postgres.stop())
  const database = await postgres.database()
  const tenants = await tenantsOf(await openPostgresStore(database, { replicas: [] }))
  const place = ['--database', database, '--redis', redis.url]
  const servers = await Promise.all([startServer(place), startServer(place)])
  const stepped = await stepUnderLoad(
    clock,
    servers.map(originOf),
    tenants,
    trial.amount(STEPS),
    seeded('stepped Redis', trial.seed),
  )
  for (const server of servers) server.signal('SIGTERM')
  await Promise.all(servers.map(({ ended }) => ended))
  return findingsOf('the Redis of two servers', stepped, A_WINDOW_EACH, servers)
}

async function tenantsOf(store: Store) {
  try {
    return await addTenants(store, ORGANIZATIONS)
  } finally {
    await store.close()
  }
}

function originOf({ port }: SignalledServer): string {
  return `http://127.0.0.1:${port}`
}

function findingsOf(
  whose: string,
  { steps, asked, faults }: Stepped,
  allowed: Effect,
  servers: readonly SignalledServer[],
): Finding[] {
  const extra = Math.max(...asked.map(extraOf))
  const beginnings = allowed.beginsWaitAnew ? steps : []
  const blockedS = Math.max(...asked.map((each) => longestBlock(each, beginnings))) / 1_000
  const failures = servers.flatMap((server) => server.failures)
  // Independent of the steps: a busy machine may miss the timeout of 100 ms.
  const late = failures.filter((line) => line.includes('Redis does not answer'))
  const wrong = [...faults, ...failures.filter((line) => !line.includes('Redis '))]
  const requests = asked.flat().length
  return [
    {
      what: `${whose}: admitted beyond 10 in 10 s, the most of ${asked.length} organizations, ${steps.length} steps of the clock`,
      bar: allowed.extra === 0 ? 'none' : `at most ${allowed.extra}`,
      measured: `${extra}`,
      met: extra <= allowed.extra,
    },
    {
      what: `${whose}: the longest that one was refused each time it asked${allowed.beginsWaitAnew ? ', since the last step' : ''}`,
      bar: `at most ${SPAN_S} s`,
      measured: `${blockedS.toFixed(1)} s`,
      met: blockedS <= SPAN_S,
    },
    {
      what: `${whose}: answers other than 200 and 429, of ${requests}, and other failures`,
      bar: 'none',
      measured: wrong.length === 0 ? 'none' : `${wrong.length}; ${wrong[0]}`,
      met: wrong.length === 0,
    },
    ...(late.length === 0 ? [] : [lateFinding(whose, late.length)]),
  ]
}

function lateFinding(whose: string, times: number): Finding {
  return {
    what: `${whose}: the machine was so busy that it did not answer within 100 ms, and each server had a window of its own`,
    bar: '',
    measured: `${times} times`,
    met: true,
  }
}

function leftOut(why: string): Finding {
  return { what: 'the clock of Redis', bar: '', measured: `left out: ${why}`, met: true }
}

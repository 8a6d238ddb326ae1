import { addTenants } from '../../../bench/tenants.ts'
import { openPostgresStore } from '../../../packages/server/src/data/postgres/open.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { seeded } from '../../../packages/server/testing/random.ts'
import { startPostgres } from '../../../packages/server/testing/servers/postgres.ts'
import { postgresBinaries } from '../../../packages/server/testing/servers/postgres-binaries.ts'
import type { Finding, Trial } from '../part.ts'
import { type SignalledServer, startServer } from '../server.ts'
import type { FakeClock } from './fake-clock.ts'
import { hasRedis, startRedisUnder } from './redis-under.ts'
import { type Stepped, stepUnderLoad } from './stepping.ts'
import { extraOf, longestBlock } from './window-judge.ts'

const ORGANIZATIONS = 12
const SPAN_S = 10
/** A step of the clock may forget a window, or begin its wait again. */
const MAX_EXTRA = 10
const WHOSE = 'the Redis of two servers'
const STEPS = { minutes: 4, hours: 60 }

/** Steps the clock of the Redis that two servers share. */
export async function stepRedis(
  trial: Trial,
  clock: FakeClock,
  folder: string,
): Promise<Finding[]> {
  if (!hasRedis()) return [leftOut('no redis-server')]
  if (postgresBinaries().length === 0) return [leftOut('no PostgreSQL')]
  await using opened = new AsyncDisposableStack()
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
  return findingsOf(stepped, servers)
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
  { steps, asked, faults }: Stepped,
  servers: readonly SignalledServer[],
): Finding[] {
  const extra = Math.max(...asked.map(extraOf))
  const blockedS = Math.max(...asked.map((each) => longestBlock(each, steps))) / 1_000
  const failures = servers.flatMap((server) => server.failures)
  // Independent of the steps: a busy machine may miss the timeout of 100 ms.
  const late = failures.filter((line) => line.includes('Redis does not answer'))
  const wrong = [...faults, ...failures.filter((line) => !line.includes('Redis '))]
  const requests = asked.flat().length
  return [
    {
      what: `${WHOSE}: admitted beyond 10 in 10 s, the most of ${asked.length} organizations, ${steps.length} steps of the clock`,
      bar: `at most ${MAX_EXTRA}`,
      measured: `${extra}`,
      met: extra <= MAX_EXTRA,
    },
    {
      what: `${WHOSE}: the longest that one was refused each time it asked, since the last step`,
      bar: `at most ${SPAN_S} s`,
      measured: `${blockedS.toFixed(1)} s`,
      met: blockedS <= SPAN_S,
    },
    {
      what: `${WHOSE}: answers other than 200 and 429, of ${requests}, and other failures`,
      bar: 'none',
      measured: wrong.length === 0 ? 'none' : `${wrong.length}; ${wrong[0]}`,
      met: wrong.length === 0,
    },
    ...(late.length === 0 ? [] : [lateFinding(late.length)]),
  ]
}

function lateFinding(times: number): Finding {
  return {
    what: `${WHOSE}: the machine was so busy that it did not answer within 100 ms, and each server had a window of its own`,
    bar: '',
    measured: `${times} times`,
    met: true,
  }
}

function leftOut(why: string): Finding {
  return { what: 'the clock of Redis', bar: '', measured: `left out: ${why}`, met: true }
}

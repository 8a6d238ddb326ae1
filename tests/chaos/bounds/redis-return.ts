import { setTimeout as wait } from 'node:timers/promises'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import { openPostgresStore } from '../../../packages/server/src/data/postgres/open.ts'
import { startPostgres } from '../../../packages/server/testing/servers/postgres.ts'
import { postgresBinaries } from '../../../packages/server/testing/servers/postgres-binaries.ts'
import { type RedisServer, startRedis } from '../../../packages/server/testing/servers/redis.ts'
import { request } from '../../acceptance/harness/client.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { hasRedis } from '../clock/redis-under.ts'
import { type Asked, extraOf, longestBlock } from '../clock/window-judge.ts'
import type { Finding, Trial } from '../part.ts'
import { startServer } from '../server.ts'

const ORGANIZATIONS = 12
const SPAN_S = 10
const PACE_MS = 50
/** Every organization has then filled its window, and refills it during the outage. */
const BEFORE_MS = 11_000
const DOWN_MS = [200, 1_500, 11_000]
/** More than a window after the return. */
const AFTER_MS = 11_000

/** Asks one process more than any window admits while its Redis is killed or stopped, and returns. */
export async function redisReturn(trial: Trial): Promise<Finding[]> {
  if (!hasRedis() || postgresBinaries().length === 0) {
    return [leftOut('no redis-server or no PostgreSQL')]
  }
  await using opened = new AsyncDisposableStack()
  const postgres = await startPostgres()
  opened.defer(() => postgres.stop())
  const redis = await startRedis()
  opened.defer(() => redis.stop())
  const database = await postgres.database()
  const store = await openPostgresStore(database, { replicas: [] })
  const tenants = await addTenants(store, ORGANIZATIONS)
  await store.close()
  const server = await startServer(['--database', database, '--redis', redis.url])
  opened.defer(async () => {
    server.signal('SIGTERM')
    await server.ended
  })
  const load = askAlways(`http://127.0.0.1:${server.port}`, tenants)
  const outages = DOWN_MS.slice(0, trial.amount({ minutes: 2, hours: 3 }))
  for (const downMs of outages) {
    for (const how of [killed, stopped]) {
      trial.progress(`Redis is ${how.name} for ${downMs} ms`)
      await wait(BEFORE_MS)
      await how(redis, downMs)
    }
  }
  await wait(AFTER_MS)
  const { asked, faults } = await load.end()
  const extra = Math.max(...asked.map(extraOf))
  const blockedS = Math.max(...asked.map((each) => longestBlock(each, []))) / 1_000
  const name = `one process of which Redis goes away and returns ${2 * outages.length} times`
  return [
    {
      what: `${name}: admitted beyond 10 in 10 s, the most of ${ORGANIZATIONS} organizations`,
      bar: 'none',
      measured: `${extra}`,
      met: extra <= 0,
    },
    {
      what: `${name}: the longest that one was refused each time it asked`,
      bar: `at most ${SPAN_S} s`,
      measured: `${blockedS.toFixed(1)} s`,
      met: blockedS <= SPAN_S,
    },
    {
      what: `${name}: answers other than 200 and 429, of ${asked.flat().length}`,
      bar: 'none',
      measured: faults.length === 0 ? 'none' : `${faults.length}; ${faults[0]}`,
      met: faults.length === 0,
    },
  ]
}

async function killed(redis: RedisServer, downMs: number): Promise<void> {
  await redis.kill()
  await wait(downMs)
  await redis.start()
}

async function stopped(redis: RedisServer, downMs: number): Promise<void> {
  redis.signal('SIGSTOP')
  await wait(downMs)
  redis.signal('SIGCONT')
}

/** Every organization asks at a pace, answered or not. */
function askAlways(origin: string, tenants: readonly Tenant[]) {
  const asked: Asked[][] = tenants.map(() => [])
  const faults: string[] = []
  let isOver = false

  async function ask({ object, key }: Tenant, mine: Asked[]): Promise<void> {
    const sentAt = performance.now()
    const headers = { 'x-api-key': key }
    const { status, text } = await request(origin, `${PREFIX}/objects/${object}`, { headers })
    if (status !== 200 && status !== 429) faults.push(`${status}: ${text}`)
    mine.push({ sentAt, answeredAt: performance.now(), isAdmitted: status !== 429 })
  }

  const callers = tenants.map(async (tenant, i) => {
    while (!isOver) {
      const next = wait(PACE_MS)
      await ask(tenant, asked[i]!).catch((error) => faults.push(`${error}`))
      await next
    }
  })
  return {
    async end() {
      isOver = true
      await Promise.all(callers)
      return { asked, faults }
    },
  }
}

function leftOut(why: string): Finding {
  return { what: 'the return of Redis', bar: '', measured: `left out: ${why}`, met: true }
}

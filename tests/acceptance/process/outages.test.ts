import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import {
  type PostgresServer,
  startPostgres,
} from '../../../packages/server/testing/servers/postgres.ts'
import {
  type RedisCluster,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../packages/server/testing/servers/redis.ts'
import { type Deployment, isEmbedded, KIND } from '../harness/deployment.ts'
import { resultOf } from '../harness/envelope.ts'
import type { FleetOrganization } from '../harness/fleet.ts'
import { makeFleet } from '../harness/make-fleet.ts'
import { organizationOf } from '../harness/organization.ts'
import { type ServerProcess, serve } from '../harness/server.ts'
import { momentsOf, type SteadyFeed, steadyFeed } from '../harness/steady-feed.ts'
import { type Asked, figuresOf, type Load, steadyLoad } from '../harness/steady-load.ts'

/**
 * Servers fail and recover under load. No process ends, every answer follows the contract, no client gets a 401
 * or a 429, and no acknowledged packet is lost. Whole (`OUTAGES=whole`): each outage as long and as often as an
 * operator must expect; quick: once and briefly.
 */
const WHOLE = process.env.OUTAGES === 'whole'
const ORGANIZATIONS = WHOLE ? 60 : 6
const TIMES = WHOLE ? 20 : 1
const STEADY_MS = WHOLE ? 5_000 : 1_500
const DOWN_MS = WHOLE ? 5_000 : 1_500
const PAUSE_MS = WHOLE ? 90_000 : 2_000
/**
 * The quick form runs alongside tests that keep all processors busy, so the usual 100 ms would be too short for
 * Redis.
 */
const TIMEOUT = WHOLE ? '' : '?timeout=300'
const MAX_TRIED = WHOLE ? 1 : 20
/** All must be as before within this time after a server is back. */
const RECOVERED_MS = WHOLE ? 1_000 : 10_000
/** A request may take longer than before the outage by the deadlines of the servers that are down. */
const DELAYED_MS = 1_000
const QUOTA = 1_000_000

/** Answers before an outage, and while it lasts. */
type Outage = { before: Asked[]; down: Asked[] }

const skip = isEmbedded ? 'it is about servers' : false

const isCluster = KIND === 'postgres-cluster'
const aboutOne = { skip: isCluster ? 'it is about one Redis' : false }
const aboutCluster = { skip: isCluster ? false : 'it is about a Cluster' }

describe(`Requests during outages under load, ${WHOLE ? 'whole' : 'small'}`, { skip }, () => {
  let postgres: PostgresServer
  let redis: RedisServer | undefined
  let cluster: RedisCluster | undefined
  let deployment: Deployment
  const servers: ServerProcess[] = []
  let organizations: FleetOrganization[]
  let load: Load
  let feed: SteadyFeed

  before(async () => {
    if (skip !== false) return
    postgres = await startPostgres(WHOLE ? { fsync: 'on', full_page_writes: 'on' } : {})
    if (isCluster) cluster = await startRedisCluster()
    else redis = await startRedis()
    deployment = {
      args: ['--database', await postgres.database()],
      serveArgs: ['--redis', `${(cluster ?? redis)!.url}${TIMEOUT}`],
      folder: undefined,
      database: undefined,
    }
    const records = await makeFleet(deployment, { full: 0, plain: ORGANIZATIONS })
    for (const { id } of records.filter(isLimited)) {
      const settings = ['--daily-quota', String(QUOTA)]
      await jsonHere(['org', 'update', String(id), ...settings, ...deployment.args])
    }
    for (const role of ['api', 'api', 'feed']) {
      servers.push(await serve(deployment, ['--role', role, '--geocoder', 'off']))
    }
    const apis = servers.slice(0, 2).map(({ api }) => api)
    organizations = records.map((record) => organizationOf(record, () => apis[0]!))
    load = steadyLoad(() => apis, organizations, isLimited)
    feed = steadyFeed(() => servers[2]!.feed, organizations.slice(0, 6))
  })

  after(async () => {
    await Promise.all([load?.stop(), feed?.stop()])
    await Promise.all(servers.map((server) => server.stop()))
    await Promise.all([postgres, redis, cluster].map((server) => server?.stop()))
  })

  const between = (from: number, to: number) =>
    load.asked.filter(({ sentAt }) => sentAt >= from && sentAt < to)

  /**
   * Waits until the system has been healthy for long enough, and returns since when. On a busy machine a healthy
   * Redis may be late for a request now and then.
   */
  async function whenSteady(): Promise<number> {
    for (let tried = 0; tried < MAX_TRIED; tried += 1) {
      const since = performance.now()
      await wait(STEADY_MS)
      const asked = between(since, performance.now())
      if (asked.every(({ status, isFull }) => status === 200 && isFull)) return since
    }
    throw new Error(`not all was well for ${STEADY_MS} ms, ${MAX_TRIED} times`)
  }

  /** Causes an outage and its end, and returns the answers before, during and after it. */
  async function outage(
    diagnostic: (message: string) => void,
    name: string,
    go: () => Promise<void>,
    back: () => Promise<void>,
    downMs = DOWN_MS,
  ): Promise<Outage> {
    const steadyAt = await whenSteady()
    const downAt = performance.now()
    await go()
    await wait(downMs)
    await back()
    const backAt = performance.now()
    await (WHOLE ? wait(RECOVERED_MS + STEADY_MS) : whenSteady())
    const [before, down, later] = [
      between(steadyAt, downAt),
      between(downAt, backAt),
      between(backAt, Number.POSITIVE_INFINITY),
    ]
    const short = later.filter(({ status, isFull }) => status !== 200 || !isFull)
    const recoveredMs = Math.max(0, ...short.map(({ sentAt }) => sentAt - backAt))
    const tell = (figures: ReturnType<typeof figuresOf>) => JSON.stringify(figures)
    diagnostic(`${name}: before ${tell(figuresOf(before))}`)
    diagnostic(`${name}: down ${Math.round(backAt - downAt)} ms ${tell(figuresOf(down))}`)
    diagnostic(
      `${name}: after ${tell(figuresOf(later))}; all complete after ${recoveredMs.toFixed(0)} ms`,
    )
    assert.deepEqual(figuresOf([...before, ...down, ...later]).faults, [])
    assert.deepEqual(
      feed.refusals.flatMap(({ fault }) => fault ?? []),
      [],
    )
    assert.ok(recoveredMs <= RECOVERED_MS, `${name}: whole again after ${recoveredMs} ms`)
    for (const { pid } of servers) assert.ok(process.kill(pid, 0))
    return { before, down }
  }

  /** While a shared part is down, the server charges nothing and still answers the other requests quickly. */
  function assertServedOn({ before, down }: Outage): void {
    // A machine that runs other tests answers late without an outage, too.
    const boundMs = DELAYED_MS + 2 * Math.max(0, ...before.map(({ tookMs }) => tookMs))
    for (const { operation, isLimited, status, tookMs } of down) {
      const mayRefuse = isLimited && (operation === 'latest' || operation === 'history')
      if (!mayRefuse) assert.equal(status, 200, operation)
      assert.ok(tookMs < boundMs, `${operation} took ${tookMs} ms of at most ${boundMs}`)
    }
  }

  it('survive a kill of Redis', aboutOne, async (t) => {
    const answers = await outage(
      (message) => t.diagnostic(message),
      'Redis SIGKILL',
      () => redis!.kill(),
      () => redis!.start(),
    )
    assertServedOn(answers)
  })

  it('survive a stop of Redis', aboutOne, async (t) => {
    const answers = await outage(
      (message) => t.diagnostic(message),
      'Redis SIGSTOP',
      async () => redis!.signal('SIGSTOP'),
      async () => redis!.signal('SIGCONT'),
    )
    assertServedOn(answers)
  })

  it('survive a Redis that does not answer', aboutOne, async (t) => {
    const client = redis!.client()
    const answers = await outage(
      (message) => t.diagnostic(message),
      `CLIENT PAUSE ${PAUSE_MS} ALL`,
      async () => void (await client.call('CLIENT', 'PAUSE', String(PAUSE_MS), 'ALL')),
      async () => {},
      PAUSE_MS,
    )
    assertServedOn(answers)
  })

  it(`survive a kill of a master of a Cluster, ${TIMES} times`, aboutCluster, async (t) => {
    for (let time = 0; time < TIMES; time += 1) {
      const slot = Math.floor((time * 16_384) / TIMES)
      const master = await cluster!.masterOf(slot)
      const answers = await outage(
        (message) => t.diagnostic(message),
        `master ${time + 1} killed`,
        () => master.kill(),
        async () => {
          // Another master has taken over; the old one comes back as its replica.
          while ((await cluster!.masterOf(slot)) === master) await wait(50)
          await master.start()
        },
        0,
      )
      assertServedOn(answers)
    }
  })

  it(`survive an immediate restart of PostgreSQL, ${TIMES} times`, async (t) => {
    for (let time = 0; time < TIMES; time += 1) {
      const { down } = await outage(
        (message) => t.diagnostic(message),
        `PostgreSQL restart ${time + 1}`,
        () => postgres.halt('immediate'),
        () => postgres.start(),
        WHOLE ? 1_000 : DOWN_MS,
      )
      for (const { operation, status } of down) {
        if (operation === 'detail' || operation === 'latest') assert.equal(status, 200, operation)
      }
    }
  })

  it('lose no acknowledged packet, and are charged if answered', async () => {
    await Promise.all([load.stop(), feed.stop()])
    // At the pace of the load, the requests fill at most eight places of a window.
    for (const organization of organizations.slice(0, 6)) {
      const { truck } = organization.objects
      const range = 'from_time=2025-05-01&to_time=2025-12-31'
      const rows = resultOf(await organization.get(`/objects/${truck}/positions?${range}`))
      const times = rows.map((row: { time_device: string }) => row.time_device)
      const acknowledged = feed.acknowledged.get(organization.id)!
      assert.ok(acknowledged > 0)
      assert.deepEqual(times.slice(0, acknowledged), momentsOf(acknowledged))
      assert.equal(new Set(times).size, times.length)
    }
  })
})

/** Every other organization. */
function isLimited({ id }: { id: number }): boolean {
  return id % 2 === 0
}

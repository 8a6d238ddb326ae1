import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { NOTHING } from '../../../../testing/live-contract/fixture.ts'
import { newQuotaCounts, openOnRedis } from '../../../../testing/live-contract/redis-under-test.ts'
import {
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../../testing/servers/redis.ts'
import type { WindowShare } from '../../../base/access/sliding-log.ts'
import { HUNDREDTHS_PER_UNIT, RATE_WINDOW } from '../../../base/domain/limits.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import type { PostgresQuotaCounts } from '../../postgres/live-counts.ts'
import { type Charge, QuotaUnavailable, type SharedAnswer, WindowUnavailable } from '../realtime.ts'
import { keysOf } from './redis-keys.ts'
import type { RedisRealtime } from './redis-realtime.ts'
import { keySlot } from './servers.ts'

const DAY = 20_778
/** More than the default, for a machine that is busy with other tests. */
const TIMEOUT_MS = 1_000
/** The longest request while no server answers: the timeout, and a slow machine. */
const SETTLED_MS = 2 * TIMEOUT_MS
const RECOVERED_MS = 3_000

const limited = (object: number): Charge => ({ objects: [object], limit: 1_000, day: DAY })
const unlimited = (object: number): Charge => ({ objects: [object], limit: null, day: DAY })

describe('The realtime port while Redis is down', () => {
  let counts: PostgresQuotaCounts
  let redis: RedisServer
  let client: Redis
  let secret: Buffer
  const opened: RedisRealtime[] = []
  let lines: string[] = []
  let organization = 0
  /** New objects for each test: ids are unique in a deployment. */
  let object = 0

  before(async () => {
    counts = await newQuotaCounts()
    redis = await startRedis()
    client = redis.client()
  })
  after(async () => {
    await redis?.stop()
    await counts?.close()
  })
  beforeEach(() => {
    secret = randomBytes(32)
    lines = []
    organization += 1
    object += 10
  })
  afterEach(async () => {
    redis.signal('SIGCONT')
    await Promise.all(opened.splice(0).map((realtime) => realtime.close()))
  })

  async function open({ isStrict = false, server = redis } = {}): Promise<RedisRealtime> {
    const settings = { secret, isStrict, counts, log: (line: string) => lines.push(line) }
    const realtime = await openOnRedis(`${server.url}?timeout=${TIMEOUT_MS}`, settings)
    opened.push(realtime)
    return realtime
  }

  const keep = ({ snapshots }: RedisRealtime, sequence: number) => {
    const states = new Map([[object, { ...UNSEEN, timeServer: sequence }]])
    return snapshots.keep(organization, { sequence, previous: sequence - 1, states })
  }

  /** The counter of an object in whole units. */
  async function countOf(counted: number): Promise<number> {
    const key = keysOf(secret).counters(organization, DAY)
    return Number(await client.hget(key, `${counted}`)) / HUNDREDTHS_PER_UNIT
  }

  async function stopFor<T>(work: () => Promise<T>): Promise<T> {
    redis.signal('SIGSTOP')
    try {
      return await work()
    } finally {
      redis.signal('SIGCONT')
    }
  }

  it('uses its own window, refuses charges against a limit, and defers the others', async () => {
    const realtime = await open()
    for (let i = 0; i < 3; i++) await realtime.quota.charge(organization, limited(object))
    await redis.kill()
    for (let i = 0; i < RATE_WINDOW.requests; i++) {
      const charge = i < 5 ? limited(object) : unlimited(object)
      const shared = await inTime(realtime.ask(organization, { charge, shown: [object] }))
      assert.ok(shared.rate.admitted)
      assert.equal(shared.rate.remaining, RATE_WINDOW.requests - 1 - i)
      assert.equal(shared.states, null)
      assert.deepEqual(shared.charge, i < 5 ? 'unavailable' : { charged: true, used: null })
    }
    const refused = await inTime(realtime.ask(organization, NOTHING))
    assert.equal(refused.rate.admitted, false)
    await assert.rejects(realtime.quota.charge(organization, limited(object)), QuotaUnavailable)
    assert.equal(await realtime.snapshots.read(organization, [object]), null)

    await redis.start()
    // Redis has lost everything: three charges are in the copy, and five are deferred.
    const charged = await untilCharged(realtime, limited(object))
    assert.deepEqual(charged, { charged: true, used: 900 })
    assert.equal(await countOf(object), 9)
  })

  /** Asks until the window is full. Returns how many requests it admitted. */
  async function fill(realtime: RedisRealtime, share?: WindowShare): Promise<number> {
    for (let admitted = 0; ; admitted += 1) {
      const { rate } = await realtime.ask(organization, { ...NOTHING, share })
      if (!rate.admitted) return admitted
    }
  }

  const take = async (realtime: RedisRealtime, requests: number) => {
    let remaining = 0
    for (let i = 0; i < requests; i += 1) {
      const { rate } = await realtime.ask(organization, NOTHING)
      assert.ok(rate.admitted)
      remaining = rate.remaining
    }
    return remaining
  }

  it('counts in its own window what Redis has admitted, and in Redis what that has admitted', async () => {
    const realtime = await open()
    await take(realtime, 3)
    await redis.kill()
    assert.equal(await take(realtime, 4), 3)
    await redis.start()
    await untilUp(realtime)
    // Redis has lost its log. The other process is new, and sees what this one brought.
    assert.equal(await fill(realtime), 3)
    assert.equal(await fill(await open()), 0)
  })

  it('counts no request twice that Redis still knows', async () => {
    const realtime = await open()
    await take(realtime, 2)
    await stopFor(async () => {
      // The first one waits for Redis, which does not count it later.
      assert.equal(await take(realtime, 3), 5)
    })
    await untilUp(realtime)
    const asks = Array.from({ length: 8 }, () => {
      return realtime.ask(organization, NOTHING)
    })
    const admitted = (await Promise.all(asks)).filter(({ rate }) => rate.admitted)
    assert.equal(admitted.length, 5)
  })

  it('finds its admissions in a log that a restarted Redis has kept', async () => {
    const durable = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
    const realtime = await open({ server: durable })
    try {
      await take(realtime, 4)
      await durable.kill()
      assert.equal(await take(realtime, 2), 4)
      await durable.start()
      await untilUp(realtime)
      assert.equal(await take(realtime, 1), 3)
    } finally {
      await durable.stop()
    }
  })

  it('carries the share of a key too', async () => {
    const realtime = await open()
    const share = { key: object, requests: 3 }
    assert.equal(await fill(realtime, share), 3)
    await redis.kill()
    assert.equal(await fill(realtime, share), 0)
    await redis.start()
    await untilUp(realtime)
    assert.equal(await fill(realtime, share), 0)
    assert.equal(await fill(realtime), RATE_WINDOW.requests - 3)
  })

  it('refuses in strict mode, without a wrong 429', async () => {
    const realtime = await open({ isStrict: true })
    await redis.kill()
    const ask = () => realtime.ask(organization, NOTHING)
    await assert.rejects(inTime(Promise.resolve(ask())), WindowUnavailable)
    await redis.start()
    await untilAsked(realtime)
  })

  /** The first requests wait in the socket of the server; the later ones find it marked as down. */
  async function askInVain(realtime: RedisRealtime): Promise<void> {
    const asks = Array.from({ length: 5 }, () =>
      inTime(realtime.ask(organization, { charge: limited(object), shown: [] })),
    )
    for (const { rate, charge } of await Promise.all(asks)) {
      assert.deepEqual([rate.admitted, charge], [true, 'unavailable'])
    }
  }

  it('never executes late requests from before a stall', async () => {
    const realtime = await open()
    const before = await realtime.quota.charge(organization, limited(object))
    assert.deepEqual(before, { charged: true, used: 100 })
    await stopFor(async () => {
      await askInVain(realtime)
      await assert.rejects(realtime.quota.charge(organization, limited(object)), QuotaUnavailable)
    })
    assert.deepEqual(await untilCharged(realtime, limited(object)), { charged: true, used: 200 })
    assert.equal(await countOf(object), 2)
  })

  it('never executes late requests from before a pause of clients', async () => {
    const realtime = await open()
    // A start waits for half a second, which a busy machine may exceed.
    await untilCharged(realtime, limited(object))
    const pausedMs = 2 * TIMEOUT_MS
    await client.call('CLIENT', 'PAUSE', `${pausedMs}`, 'ALL')
    await askInVain(realtime)
    const charged = await untilCharged(realtime, limited(object), pausedMs + RECOVERED_MS)
    assert.deepEqual(charged, { charged: true, used: 200 })
    assert.equal(await countOf(object), 2)
  })

  it('shows no state older than a missed change', async () => {
    const [realtime, other] = [await open(), await open()]
    await keep(realtime, 1)
    await stopFor(async () => {
      await inTime(Promise.resolve(keep(realtime, 2)))
      await inTime(Promise.resolve(keep(realtime, 3)))
    })
    const read = await until(async () => {
      const [own] = (await realtime.snapshots.read(organization, [object]))?.kept ?? [null]
      return own === null ? undefined : { own }
    })
    assert.equal(read.own, undefined)
    const [others] = (await other.snapshots.read(organization, [object]))!.kept
    assert.equal(others, undefined)
    await keep(realtime, 4)
    const [newest] = (await other.snapshots.read(organization, [object]))!.kept
    assert.equal(newest?.timeServer, 4)
  })

  it('recovers from a rejected change on a server that still answers', async () => {
    const [realtime, other] = [await open(), await open()]
    await keep(realtime, 1)
    await client.config('SET', 'maxmemory', '1')
    await keep(realtime, 2)
    await client.config('SET', 'maxmemory', '0')
    assert.equal(await realtime.snapshots.read(organization, [object]), null)
    const read = await until(async () => {
      return (await realtime.snapshots.read(organization, [object])) ?? undefined
    }, 2 * RECOVERED_MS)
    assert.deepEqual(read.kept, [undefined])
    assert.deepEqual((await other.snapshots.read(organization, [object]))!.kept, [undefined])
  })

  it('looks for another server under its name if it has become a replica', async () => {
    const realtime = await open()
    const losses = realtime.losses()
    await client.call('REPLICAOF', '127.0.0.1', '1')
    const wants = { charge: limited(object), shown: [object] }
    const shared = await inTime(realtime.ask(organization, wants))
    assert.deepEqual([shared.rate.admitted, shared.charge], [true, 'unavailable'])
    assert.ok(lines.some((line) => line.startsWith('Redis does not answer')))
    await client.call('REPLICAOF', 'NO', 'ONE')
    await untilAsked(realtime)
    assert.ok(realtime.losses() > losses)
  })

  it('starts without it, and uses it when it is up', async () => {
    await redis.kill()
    const realtime = await open()
    const shared = await inTime(realtime.ask(organization, NOTHING))
    assert.deepEqual([shared.rate.admitted, shared.states], [true, null])
    await redis.start()
    await untilAsked(realtime)
  })

  it('ends although it does not answer', async () => {
    const realtime = await open()
    await realtime.quota.charge(organization, limited(object))
    await stopFor(async () => {
      const asked = realtime.ask(organization, { charge: limited(object), shown: [] })
      await inTime(Promise.resolve(realtime.close()), SETTLED_MS + 2_000)
      await inTime(Promise.resolve(asked))
    })
    const copied = await counts.read(organization, DAY)
    assert.deepEqual(copied, new Map([[object, 100]]))
  })

  async function untilCharged(realtime: RedisRealtime, charge: Charge, withinMs = RECOVERED_MS) {
    return until(async () => {
      try {
        return await realtime.quota.charge(organization, charge)
      } catch (error) {
        assert.ok(error instanceof QuotaUnavailable)
        return undefined
      }
    }, withinMs)
  }

  /** Until it asks Redis again, without a request of the organization. */
  async function untilUp(realtime: RedisRealtime): Promise<void> {
    await until(async () => (await realtime.snapshots.read(organization, [])) ?? undefined)
  }

  async function untilAsked(realtime: RedisRealtime): Promise<SharedAnswer> {
    await untilUp(realtime)
    const shared = await realtime.ask(organization, NOTHING)
    assert.notEqual(shared.states, null)
    return shared
  }
})

describe('The realtime port while a master of a Redis Cluster is down', () => {
  it('works for other slots, and for its own after its replica has taken over', async () => {
    const counts = await newQuotaCounts()
    const cluster = await startRedisCluster()
    const realtime = await openOnRedis(`${cluster.url}?timeout=${TIMEOUT_MS}`, { counts })
    try {
      const master = await cluster.masterOf(keySlot('1'))
      const other = await organizationElsewhere(master)
      for (const organization of [1, other]) {
        await realtime.quota.charge(organization, limited(organization))
      }
      await master.kill()
      const wants = (organization: number) => ({ charge: limited(organization), shown: [] })
      const asked = await inTime(realtime.ask(1, wants(1)))
      assert.deepEqual([asked.rate.admitted, asked.charge], [true, 'unavailable'])
      const unharmed = await inTime(realtime.ask(other, wants(other)))
      assert.deepEqual(unharmed.charge, { charged: true, used: 200 })
      const charged = await until(async () => {
        return realtime.quota.charge(1, limited(1)).catch(() => undefined)
      }, 15_000)
      assert.deepEqual(charged, { charged: true, used: 200 })
    } finally {
      await realtime.close()
      await cluster.stop()
      await counts.close()
    }

    async function organizationElsewhere(master: RedisServer): Promise<number> {
      for (let organization = 2; ; organization++) {
        const its = await cluster.masterOf(keySlot(`${organization}`))
        if (its.port !== master.port) return organization
      }
    }
  })
})

/** Checks that a request ends in time, with any result. */
async function inTime<T>(answer: T | Promise<T>, ms = SETTLED_MS): Promise<T> {
  const begun = performance.now()
  try {
    return await answer
  } finally {
    const tookMs = performance.now() - begun
    assert.ok(tookMs < ms, `it took ${tookMs.toFixed(0)} ms`)
  }
}

/** The first answer, which must come in time. */
async function until<T>(ask: () => Promise<T | undefined>, withinMs = RECOVERED_MS): Promise<T> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    assert.ok(performance.now() < giveUpAt, `nothing within ${withinMs} ms`)
    await pause(10)
  }
}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Redis } from 'ioredis'
import { systemClock } from '../../domain/clock.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from '../../store/postgres/quota-counts.ts'
import { type RedisServer, startRedis } from '../../trial/servers/redis.ts'
import { emptyDatabase } from '../../trial/servers/shared-postgres.ts'
import { mulberry32 } from '../window-trial.ts'
import { keysOf } from './keys.ts'
import { openRedisRealtime, type RedisRealtime } from './redis-realtime.ts'

const DAY = 20_778
const LIMIT = 500
const WORKERS = 16
const BATCH = 50
const OBJECTS = Array.from({ length: 120 }, (_, i) => i + 1)
const SEED = 20_261_121

describe('The quota that processes share', () => {
  const secret = randomBytes(32)
  const keys = keysOf(secret)
  let redis: RedisServer
  let client: Redis
  let counts: PostgresQuotaCounts
  const opened: RedisRealtime[] = []
  before(async () => {
    const url = await emptyDatabase()
    await migrate(url)
    counts = openQuotaCounts(url)
    redis = await startRedis()
    client = redis.client()
  })
  after(async () => {
    await Promise.all(opened.map((realtime) => realtime.close()))
    await redis?.stop()
    await counts?.close()
  })

  async function open(): Promise<RedisRealtime> {
    const settings = { url: redis.patientUrl, secret, isStrict: false, counts, clock: systemClock }
    const realtime = await openRedisRealtime({ ...settings, tell: () => {} })
    opened.push(realtime)
    return realtime
  }

  async function inRedis(organization: number): Promise<Map<number, number>> {
    const { run, ...all } = await client.hgetall(keys.counters(organization, DAY))
    assert.ok(run)
    return new Map(Object.entries(all).map(([object, count]) => [Number(object), Number(count)]))
  }

  it('counts exactly what was charged, and never past the limit', async (context) => {
    const processes = await Promise.all(Array.from({ length: WORKERS }, open))
    const charged = new Map(OBJECTS.map((object) => [object, 0]))
    let [successes, refusals] = [0, 0]
    await Promise.all(
      processes.map(async ({ quota }, worker) => {
        const random = mulberry32(SEED + worker)
        // Until nothing has been left for a while.
        for (let inVain = 0; inVain < 20; ) {
          const objects = batchOf(random)
          const verdict = await quota.charge(1, { objects, limit: LIMIT, day: DAY })
          if (verdict.charged) {
            successes += 1
            inVain = 0
            for (const object of objects) charged.set(object, charged.get(object)! + 1)
          } else {
            refusals += 1
            inVain += 1
            assert.ok(verdict.exhausted.every((object) => charged.get(object)! <= LIMIT))
          }
        }
      }),
    )
    context.diagnostic(`${successes} batches charged, ${refusals} refused`)
    assert.deepEqual(await inRedis(1), charged)
    assert.equal(Math.max(...charged.values()), LIMIT)
    assert.ok(successes > (LIMIT * OBJECTS.length) / BATCH / 2)
  })

  it('is copied, and made up from the copy where Redis has lost it', async () => {
    const [one, other] = [await open(), await open()]
    for (const used of [1, 2, 3]) {
      const verdict = await one.quota.charge(2, { objects: [1_001], limit: 5, day: DAY })
      assert.deepEqual(verdict, { charged: true, used })
    }
    await one.close()
    assert.deepEqual(await counts.read(2, DAY), new Map([[1_001, 3]]))
    await client.flushall()
    const charge = { objects: [1_001, 1_002], limit: 5, day: DAY }
    assert.deepEqual(await other.quota.charge(2, charge), { charged: true, used: 4 })
    const asked = await other.ask(2, { charge, states: [] })
    assert.deepEqual(asked.charge, { charged: true, used: 5 })
    const refused = await other.quota.charge(2, charge)
    assert.deepEqual(refused, { charged: false, exhausted: [1_001] })
  })

  it('makes up what this process knows and has not copied yet', async () => {
    const realtime = await open()
    await realtime.quota.charge(3, { objects: [2_001], limit: 5, day: DAY })
    await client.flushall()
    const asked = await realtime.ask(3, {
      charge: { objects: [2_001], limit: 5, day: DAY },
      states: [],
    })
    assert.deepEqual(asked.charge, { charged: true, used: 2 })
  })

  it('takes nothing back from what has nothing', async () => {
    const realtime = await open()
    await realtime.quota.charge(4, { objects: [3_001], limit: 5, day: DAY })
    for (let i = 0; i < 3; i++) await realtime.quota.giveBack(4, [3_001], DAY)
    const verdict = await realtime.quota.charge(4, { objects: [3_001], limit: 1, day: DAY })
    assert.deepEqual(verdict, { charged: true, used: 1 })
  })
})

function batchOf(random: () => number): number[] {
  const left = [...OBJECTS]
  return Array.from({ length: BATCH }, () => left.splice(Math.floor(random() * left.length), 1)[0]!)
}

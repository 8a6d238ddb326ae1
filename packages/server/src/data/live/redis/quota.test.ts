import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Redis } from 'ioredis'
import { newQuotaCounts, openOnRedis } from '../../../../testing/live-contract/redis-under-test.ts'
import { mulberry32 } from '../../../../testing/live-contract/window-verdicts.ts'
import { type RedisServer, startRedis } from '../../../../testing/servers/redis.ts'
import { HUNDREDTHS_PER_UNIT } from '../../../base/domain/limits.ts'
import type { PostgresQuotaCounts } from '../../postgres/live-counts.ts'
import { QuotaUnavailable } from '../realtime.ts'
import { keysOf } from './redis-keys.ts'
import type { RedisRealtime } from './redis-realtime.ts'

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
    counts = await newQuotaCounts()
    redis = await startRedis()
    client = redis.client()
  })
  after(async () => {
    await Promise.all(opened.map((realtime) => realtime.close()))
    await redis?.stop()
    await counts?.close()
  })

  async function open(): Promise<RedisRealtime> {
    const realtime = await openOnRedis(redis.patientUrl, { secret, counts })
    opened.push(realtime)
    return realtime
  }

  /** A charge waits only so long for the counters to be merged, and the merge continues. Here it may take longer. */
  async function untilMerged({ quota }: RedisRealtime, organization: number): Promise<void> {
    for (;;) {
      try {
        await quota.charge(organization, { objects: [], limit: 1, day: DAY })
        return
      } catch (error) {
        if (!(error instanceof QuotaUnavailable)) throw error
      }
    }
  }

  /** The counters of an organization in whole units. */
  async function inRedis(organization: number): Promise<Map<number, number>> {
    const { run, ...all } = await client.hgetall(keys.counters(organization, DAY))
    assert.ok(run)
    return new Map(
      Object.entries(all).map(([object, count]) => [
        Number(object),
        Number(count) / HUNDREDTHS_PER_UNIT,
      ]),
    )
  }

  it('counts every charge exactly, and never exceeds the limit', async (context) => {
    // One after the other: each waits only 500 ms for its connection.
    const processes: RedisRealtime[] = []
    while (processes.length < WORKERS) processes.push(await open())
    await untilMerged(processes[0]!, 1)
    const charged = new Map(OBJECTS.map((object) => [object, 0]))
    let [successes, refusals] = [0, 0]
    await Promise.all(
      processes.map(async ({ quota }, worker) => {
        const random = mulberry32(SEED + worker)
        // Until nothing remains for a while.
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

  it('is copied, and restored from the copy after a loss in Redis', async () => {
    const [one, other] = [await open(), await open()]
    for (const used of [1, 2, 3]) {
      const verdict = await one.quota.charge(2, { objects: [1_001], limit: 5, day: DAY })
      assert.deepEqual(verdict, { charged: true, used: used * 100 })
    }
    await one.close()
    assert.deepEqual(await counts.read(2, DAY), new Map([[1_001, 300]]))
    await client.flushall()
    const charge = { objects: [1_001, 1_002], limit: 5, day: DAY }
    assert.deepEqual(await other.quota.charge(2, charge), { charged: true, used: 400 })
    const asked = await other.ask(2, { charge, shown: [] })
    assert.deepEqual(asked.charge, { charged: true, used: 500 })
    const refused = await other.quota.charge(2, charge)
    assert.deepEqual(refused, { charged: false, exhausted: [1_001], left: [0] })
  })

  it('restores charges that this process has not copied yet', async () => {
    const realtime = await open()
    await realtime.quota.charge(3, { objects: [2_001], limit: 5, day: DAY })
    await client.flushall()
    const asked = await realtime.ask(3, {
      charge: { objects: [2_001], limit: 5, day: DAY },
      shown: [],
    })
    assert.deepEqual(asked.charge, { charged: true, used: 200 })
  })

  it('restores hundredths exactly, and keeps what is higher in Redis', async () => {
    const [one, other] = [await open(), await open()]
    const objects = [4_001, 4_002, 4_003]
    await one.quota.charge(5, { objects, hundredths: [101, 250, 201], limit: null, day: DAY })
    await one.quota.charge(5, { objects: [4_001], limit: null, day: DAY })
    await one.close()
    await client.flushall()
    // Another process has charged since the loss.
    await client.hset(keys.counters(5, DAY), '4002', 200, '4003', 300)
    const charge = { objects, hundredths: [1, 1, 1], limit: null, day: DAY }
    assert.deepEqual(await other.quota.charge(5, charge), { charged: true, used: 301 })
    const read = { objects, hundredths: [400, 400, 400], limit: 4, day: DAY }
    const refused = { charged: false, exhausted: objects, left: [198, 149, 99] }
    assert.deepEqual(await other.quota.charge(5, read), refused)
  })

  it('ignores a refund without a charge', async () => {
    const realtime = await open()
    await realtime.quota.charge(4, { objects: [3_001], limit: 5, day: DAY })
    for (let i = 0; i < 3; i++) await realtime.quota.giveBack(4, { objects: [3_001], day: DAY })
    const verdict = await realtime.quota.charge(4, { objects: [3_001], limit: 1, day: DAY })
    assert.deepEqual(verdict, { charged: true, used: 100 })
  })

  it('returns to zero by a refund of more than was charged', async () => {
    const realtime = await open()
    const part = { objects: [3_002, 3_003], hundredths: [50, 150], day: DAY }
    for (const back of [
      { objects: [3_002, 3_003], day: DAY },
      { ...part, hundredths: [51, 250] },
    ]) {
      await realtime.quota.charge(4, { ...part, limit: null })
      await realtime.quota.giveBack(4, back)
    }
    const verdict = await realtime.quota.charge(4, { ...part, limit: null })
    assert.deepEqual(verdict, { charged: true, used: 150 })
    const asked = { objects: [3_002], hundredths: [51], limit: 1, day: DAY }
    const refused = { charged: false, exhausted: [3_002], left: [50] }
    assert.deepEqual(await realtime.quota.charge(4, asked), refused)
  })

  it('costs three commands, in whole units and in hundredths', async () => {
    const realtime = await open()
    const whole = { objects: [5_001, 5_002], limit: 5, day: DAY }
    await realtime.quota.charge(6, whole)
    await realtime.quota.charge(6, { ...whole, hundredths: [1, 99] })
    for (const charge of [whole, { ...whole, hundredths: [1, 99] }]) {
      await client.config('RESETSTAT')
      await realtime.quota.charge(6, charge)
      const stats = await client.info('commandstats')
      const calls = [...stats.matchAll(/^cmdstat_(h\w+|expire):calls=(\d+)/gm)]
      const counted = Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]))
      assert.deepEqual(counted, { hget: 1, hmget: 1, hset: 1 })
    }
  })
})

function batchOf(random: () => number): number[] {
  const left = [...OBJECTS]
  return Array.from({ length: BATCH }, () => left.splice(Math.floor(random() * left.length), 1)[0]!)
}

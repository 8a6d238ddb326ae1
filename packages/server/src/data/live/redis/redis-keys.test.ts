import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Redis } from 'ioredis'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { openOnRedis } from '../../../../testing/live-contract/redis-under-test.ts'
import {
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../../testing/servers/redis.ts'
import { MAX_STREAMS } from '../../../base/domain/limits.ts'
import { systemClock } from '../../../base/domain/time/time.ts'
import { ForeignValue, QuotaUnavailable } from '../realtime.ts'
import { foreignValues, keysOf } from './redis-keys.ts'
import type { RedisRealtime } from './redis-realtime.ts'
import { keySlot } from './servers.ts'

const DAY = 20_778
const OBJECT = 7
const SHARE = { key: 5, requests: 3 }
const CHARGE = { objects: [OBJECT], limit: 10, day: DAY }
const WINDOW_MS = 20_000

describe('A value of another program under a key of Redis', () => {
  let redis: RedisServer
  let client: Redis
  let realtime: RedisRealtime
  const secret = randomBytes(32)
  const keys = keysOf(secret)
  const lines: string[] = []
  let organization = 0

  before(async () => {
    redis = await startRedis()
    client = redis.client()
    realtime = await openOnRedis(redis.patientUrl, { secret, log: (line) => lines.push(line) })
  })
  after(async () => {
    await realtime?.close()
    await redis?.stop()
  })

  const ask = () =>
    Promise.resolve(realtime.ask(organization, { charge: CHARGE, shown: [OBJECT], share: SHARE }))
  const list = async (key: string) => {
    await client.del(key)
    await client.lpush(key, 'another type')
  }
  const text = async (key: string) => {
    await client.set(key, 'a text of another program', 'PX', WINDOW_MS)
  }
  const field = async (key: string) => {
    await client.hset(key, `${OBJECT}`, 'many')
  }

  const cases: Record<string, [key: (organization: number) => string, write: typeof list][]> = {
    'a rate window': [
      [keys.window, list],
      [keys.window, text],
    ],
    'the window of a key': [
      [(id) => keys.share(id, SHARE.key), list],
      [(id) => keys.share(id, SHARE.key), text],
    ],
    'counters of a quota': [
      [(id) => keys.counters(id, DAY), list],
      [(id) => keys.counters(id, DAY), field],
    ],
    'current states': [
      [keys.states, list],
      [keys.states, text],
    ],
  }
  for (const [what, written] of Object.entries(cases)) {
    it(`ends a request by name, and charges nothing: ${what}`, async () => {
      for (const [keyOf, write] of written) {
        organization += 1
        // Redis has counters of the day.
        await realtime.quota.charge(organization, { ...CHARGE, objects: [OBJECT + 1] })
        const key = keyOf(organization)
        await write(key)
        await assert.rejects(ask(), (error) => {
          assert.ok(error instanceof ForeignValue, `${error}`)
          assert.match(error.message, /Another program .* delete the key/)
          assert.ok(error.message.includes(key))
          return true
        })
        await client.del(key)
        const { charge, rate } = await ask()
        assert.ok(rate.admitted)
        assert.deepEqual(charge, { charged: true, used: 100 })
      }
    })
  }

  it('ends a charge after reading as an outage of the counters does', async () => {
    organization += 1
    await list(keys.counters(organization, DAY))
    await assert.rejects(realtime.quota.charge(organization, CHARGE), (error) => {
      assert.ok(error instanceof QuotaUnavailable)
      assert.ok(error.cause instanceof ForeignValue)
      return true
    })
  })

  it('has the store asked if an entry of the states is none of ours', async () => {
    organization += 1
    await realtime.snapshots.read(organization, [OBJECT])
    await client.hset(keys.states(organization), `${OBJECT}`, 'short')
    assert.equal((await ask()).states, null)
    assert.equal(await realtime.snapshots.read(organization, [OBJECT]), null)
  })

  it('loses no place of a stream', async () => {
    organization += 1
    const { streams } = realtime
    const held = await streams.lineUp(organization, MAX_STREAMS)
    const key = keys.streams(organization)
    for (const write of [list, text]) {
      await write(key)
      for (let tried = 0; tried < MAX_STREAMS; tried += 1) {
        await assert.rejects(streams.lineUp(organization, MAX_STREAMS), ForeignValue)
      }
    }
    held.free()
    await client.del(key)
    for (let count = 0; count <= MAX_STREAMS; count += 1) {
      const slot = await streams.lineUp(organization, MAX_STREAMS)
      assert.equal(await slot.isTaken(), count < MAX_STREAMS)
    }
  })

  it('is a line in the log once a minute', async () => {
    assert.equal(lines.filter((line) => line.startsWith('Another program')).length, 1)
    const clock = handedClock()
    const logged: string[] = []
    const asForeign = foreignValues((line) => logged.push(line), clock)
    const error = Object.assign(new Error('WRONGTYPE Operation'), { name: 'ReplyError' })
    const meet = () => asForeign(error, [keys.window(1)], async () => undefined)
    for (let met = 0; met < 5; met += 1) assert.ok((await meet()) instanceof ForeignValue)
    clock.advanceUs(60_000_000)
    await meet()
    assert.equal(logged.length, 2)
  })

  it('is not an error of our own scripts', async () => {
    const asForeign = foreignValues(() => assert.fail('it is not foreign'), systemClock)
    const error = Object.assign(new Error('ERR user_script:7: nil'), { name: 'ReplyError' })
    const own = [keys.window(1), keys.states(1)]
    assert.equal(await asForeign(error, own, async () => null), error)
  })
})

describe('A value of another program under a key of a Redis Cluster', () => {
  it('ends a request by name', async () => {
    const cluster = await startRedisCluster()
    const secret = randomBytes(32)
    const realtime = await openOnRedis(cluster.patientUrl, { secret })
    try {
      const ask = () => Promise.resolve(realtime.ask(1, { charge: null, shown: [] }))
      await ask()
      const key = keysOf(secret).states(1)
      await (await cluster.masterOf(keySlot('1'))).client().set(key, 'another type')
      await assert.rejects(ask(), ForeignValue)
    } finally {
      await realtime.close()
      await cluster.stop()
    }
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type RedisCluster,
  type RedisServer,
  startRedisCluster,
} from '../../../../testing/servers/redis.ts'
import { systemClock } from '../../../base/domain/time/time.ts'
import { parseRedisUrl } from '../redis-url.ts'
import { keysOf } from './redis-keys.ts'
import { script } from './scripts.ts'
import { keySlot, Servers } from './servers.ts'

const ORGANIZATION = 1
const SLOT = keySlot(`${ORGANIZATION}`)
const ADD = script(`return redis.call('INCR', KEYS[1])`)

let cluster: RedisCluster
before(async () => {
  cluster = await startRedisCluster()
})
after(() => cluster.stop())

describe('The slot of a key', () => {
  it('equals that of the server, for all keys of an organization', async () => {
    const client = cluster.servers[0]!.client()
    const keys = keysOf(Buffer.from('a secret'))
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), fc.nat(), async (organization, day) => {
        const { window, counters, states } = keys
        const names = [window(organization), counters(organization, day), states(organization)]
        const slots = await Promise.all(names.map((name) => client.cluster('KEYSLOT', name)))
        assert.deepEqual(
          slots,
          names.map(() => keySlot(`${organization}`)),
        )
      }),
    )
  })

  it('equals that of the example in the specification', () => {
    // CRC-16/XMODEM of "123456789" is 0x31c3.
    assert.equal(keySlot('123456789'), 0x31c3)
  })
})

describe('A slot of a Redis Cluster that moves to another server', () => {
  let servers: Servers
  before(async () => {
    const one = `redis://127.0.0.1:${cluster.servers[0]!.port}?timeout=2000`
    servers = new Servers(parseRedisUrl(one)!, systemClock, { up() {}, down() {}, log() {} })
    await servers.whenUp()
  })
  after(() => servers.close())

  async function added(): Promise<{ count: unknown; run: string }> {
    const asked = { keys: [`{${ORGANIZATION}}:count`], values: [] }
    const { result, run } = await servers.evaluate(ORGANIZATION, ADD, () => asked)
    return { count: result, run }
  }

  async function slot(server: RedisServer, ...command: string[]): Promise<void> {
    await server.client().call('CLUSTER', 'SETSLOT', `${SLOT}`, ...command)
  }

  it('is found there, and each script runs once', async () => {
    const from = await cluster.masterOf(SLOT)
    const to = await cluster.masterOf((SLOT + 16_384 / 2) % 16_384)
    assert.notEqual(from.port, to.port)
    const [fromId, toId] = await Promise.all(
      [from, to].map((server) => server.client().cluster('MYID')),
    )
    const first = await added()
    assert.equal(first.count, 1)

    await slot(to, 'IMPORTING', fromId!)
    await slot(from, 'MIGRATING', toId!)
    await from
      .client()
      .call('MIGRATE', '127.0.0.1', `${to.port}`, `{${ORGANIZATION}}:count`, '0', '5000')
    const underWay = await added()
    assert.equal(underWay.count, 2)
    assert.notEqual(underWay.run, first.run)

    for (const server of [to, from]) await slot(server, 'NODE', toId!)
    for (let count = 3; count <= 6; count++) {
      assert.deepEqual(await added(), { count, run: underWay.run })
    }
  })

  it('is an outage while the servers disagree on its owner', async () => {
    const masters = cluster.servers.slice(0, 3)
    const holder = await cluster.masterOf(SLOT)
    const [one, other] = masters.filter(({ port }) => port !== holder.port)
    const [oneId, otherId] = await Promise.all(
      [one!, other!].map((server) => server.client().cluster('MYID')),
    )
    await added()
    // The second server redirects once more.
    await slot(one!, 'NODE', otherId!)
    await holder.client().del(`{${ORGANIZATION}}:count`)
    await slot(holder, 'NODE', oneId!)
    await assert.rejects(added(), { name: 'RedisUnavailable' })
  })
})

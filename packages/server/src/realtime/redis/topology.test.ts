import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../../domain/clock.ts'
import {
  type RedisCluster,
  type RedisServer,
  startRedisCluster,
} from '../../trial/servers/redis.ts'
import { keySlot } from './key-slot.ts'
import { parseRedisUrl } from './redis-url.ts'
import { script } from './scripts/script.ts'
import { openServers, type Servers } from './servers.ts'

const ORGANIZATION = 1
const SLOT = keySlot(`${ORGANIZATION}`)
const ADD = script(`return redis.call('INCR', KEYS[1])`)

describe('A slot of a Redis Cluster that moves to another server', () => {
  let cluster: RedisCluster
  let servers: Servers
  before(async () => {
    cluster = await startRedisCluster()
    const one = `redis://127.0.0.1:${cluster.servers[0]!.port}?timeout=2000`
    servers = openServers(parseRedisUrl(one)!, systemClock, { up() {}, down() {}, tell() {} })
    await servers.whenUp()
  })
  after(async () => {
    servers.close()
    await cluster.stop()
  })

  async function added(): Promise<{ count: unknown; run: string }> {
    const asked = { keys: [`{${ORGANIZATION}}:count`], values: [] }
    const { result, run } = await servers.evaluate(ORGANIZATION, ADD, () => asked)
    return { count: result, run }
  }

  async function slot(server: RedisServer, ...command: string[]): Promise<void> {
    await server.client().call('CLUSTER', 'SETSLOT', `${SLOT}`, ...command)
  }

  it('is followed there, with each script run once', async () => {
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

  it('is an outage where the servers do not agree whose it is', async () => {
    const masters = cluster.servers.slice(0, 3)
    const holder = await cluster.masterOf(SLOT)
    const [one, other] = masters.filter(({ port }) => port !== holder.port)
    const [oneId, otherId] = await Promise.all(
      [one!, other!].map((server) => server.client().cluster('MYID')),
    )
    await added()
    // The one that is sent on to sends on once more.
    await slot(one!, 'NODE', otherId!)
    await holder.client().del(`{${ORGANIZATION}}:count`)
    await slot(holder, 'NODE', oneId!)
    await assert.rejects(added(), { name: 'RedisUnavailable' })
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { type RedisServer, startRedis } from '../../trial/servers/redis.ts'
import { keySlot } from './key-slot.ts'
import { keysOf } from './keys.ts'

describe('the slot of a key', () => {
  let server: RedisServer
  let client: Redis
  before(async () => {
    server = await startRedis('--cluster-enabled', 'yes')
    client = server.client()
  })
  after(() => server.stop())

  it('is what the server says, of all keys of an organization', async () => {
    const keys = keysOf(Buffer.from('a secret'))
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), fc.nat(), async (organization, day) => {
        const { window, counters, states } = keys
        const names = [window(organization), counters(organization, day), states(organization)]
        const told = await Promise.all(names.map((name) => client.cluster('KEYSLOT', name)))
        assert.deepEqual(
          told,
          names.map(() => keySlot(`${organization}`)),
        )
      }),
    )
  })

  it('is that of the specification’s example', () => {
    // CRC-16/XMODEM of "123456789" is 0x31c3.
    assert.equal(keySlot('123456789'), 0x31c3)
  })
})

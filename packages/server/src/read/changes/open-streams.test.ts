import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import type { Credential } from '../../base/domain/credential.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import { MAX_STREAMS } from '../../base/domain/limits.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { listening } from '../../base/http/http-connections.ts'
import type { Directory } from '../../data/cache/directory.ts'
import { memoryStreamSlots } from '../../data/live/memory/memory-realtime.ts'
import { EventWriter, openStreams, takeStreamSlot } from './open-streams.ts'

const LOOK_MS = 500
const [key, organization] = [{ scope: null } as Credential, {} as Organization]
const directory = { keys: { find: () => key }, organization: () => organization }

it('A quiet stream gets a comment after 14 s, and none earlier', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const parts = { catchUp: async () => {}, clock: handedClock() }
  const counts = { opened() {}, sent() {}, ended() {} }
  const streams = openStreams(1, { directory: directory as unknown as Directory, ...parts }, counts)
  const server = createServer((_, response) => {
    response.flushHeaders()
    const writer = new EventWriter(response, () => {})
    const stream = { writer, organization, key, renewCursor() {}, end: () => writer.end() }
    streams.add(stream)
    t.after(() => streams.remove(stream, 'client'))
  })
  const { port } = await listening(server, 0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const [answer] = (await once(get({ port }), 'response')) as [IncomingMessage]
  const received: string[] = []
  answer.setEncoding('utf8').on('data', (text) => received.push(text))
  /** Looks after the streams, and lets what was written arrive. */
  const look = async () => {
    t.mock.timers.tick(LOOK_MS)
    for (let pass = 0; pass < 100; pass += 1) await new Promise(setImmediate)
  }
  now = 13_999
  await look()
  assert.deepEqual(received, [])
  now = 14_000
  await look()
  assert.deepEqual(received, [':\n\n'])
  streams.close()
  await once(answer, 'end')
})

it('Held requests end when their key has expired or the subscription is another one, others wait on', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = handedClock()
  const expiresAt = clock.now() + 1_000
  const keys = new Map([
    ['short', { hash: 'short', scope: null, expiresAt }],
    ['lasting', { hash: 'lasting', scope: null, expiresAt: null }],
  ])
  let subscription = 'active'
  const now = () => ({ subscription })
  const seen = {
    keys: {
      find(hash: string, at: number) {
        const found = keys.get(hash)!
        return found.expiresAt !== null && found.expiresAt <= at ? undefined : found
      },
    },
    organization: now,
  }
  const counts = { opened() {}, sent() {}, ended() {} }
  const parts = { directory: seen as unknown as Directory, catchUp: async () => {}, clock }
  const streams = openStreams(1, parts, counts)
  const ended: string[] = []
  for (const [name, key] of keys) {
    const held = { organization: now() as Organization, key: key as unknown as Credential }
    t.after(streams.hold({ ...held, end: () => ended.push(name) }))
  }
  const look = async () => {
    t.mock.timers.tick(LOOK_MS)
    await new Promise(setImmediate)
  }
  await look()
  assert.deepEqual(ended, [])
  clock.advanceUs(1_000_000)
  await look()
  assert.deepEqual(ended, ['short'])
  subscription = 'suspended'
  await look()
  assert.deepEqual(ended, ['short', 'short', 'lasting'])
})

const scopeOf = (windowShare: number): KeyScope => ({ operations: null, grants: null, windowShare })
const scoped = { id: 1, organization: 1, scope: scopeOf(3) }
const plain = { id: 2, organization: 1, scope: null }

describe('The slot of a stream', () => {
  it('is one of as many as the share of its key, and of its organization', async () => {
    const slots = memoryStreamSlots()
    const held = [1, 2, 3].map(() => takeStreamSlot(slots, scoped))
    assert.equal(await takeStreamSlot(slots, scoped), null)
    for (let count = 3; count < MAX_STREAMS; count += 1) {
      assert.ok(await takeStreamSlot(slots, plain))
    }
    assert.equal(await takeStreamSlot(slots, plain), null)
    ;(await held[0])!.free()
    assert.ok(await takeStreamSlot(slots, plain))
  })

  it('comes back to its key if the organization holds all', async () => {
    const slots = memoryStreamSlots()
    const all = Array.from({ length: MAX_STREAMS }, () => takeStreamSlot(slots, plain))
    for (let tried = 0; tried < 5; tried += 1) {
      assert.equal(await takeStreamSlot(slots, scoped), null)
    }
    for (const each of all) (await each)!.free()
    for (let count = 0; count < 3; count += 1) assert.ok(await takeStreamSlot(slots, scoped))
  })

  it('comes back to its key if that of the organization cannot be taken', async () => {
    const slots = memoryStreamSlots()
    const failing = {
      lineUp: async (holder: number, limit: number) => {
        if (holder === scoped.organization) throw new Error('a script failed')
        return slots.lineUp(holder, limit)
      },
    }
    for (let tried = 0; tried < 5; tried += 1) {
      await assert.rejects(takeStreamSlot(failing, scoped), /a script failed/)
    }
    for (let count = 0; count < 3; count += 1) assert.ok(await takeStreamSlot(slots, scoped))
  })
})

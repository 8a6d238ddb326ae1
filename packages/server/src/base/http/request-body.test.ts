import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, it, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { MAX_ATTRIBUTES, MAX_BODY_BYTES, MAX_ROWS } from '../../faces/feed/feed-refusal.ts'
import { ATTRIBUTE_BYTES, ROW_BYTES } from '../../faces/feed/handle.ts'
import {
  discardBody,
  gatherPieces,
  type HoldMemory,
  MAX_HELD_BY_ONE,
  MAX_HELD_BYTES,
  openHeldMemory,
  receiveBody,
} from './request-body.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('the pieces of a body join to the whole again, at any length', () => {
  const lengths = fc.oneof(fc.nat(3), fc.nat(40_000))
  fc.assert(
    fc.property(fc.array(lengths), (all) => {
      const pieces = gatherPieces()
      const chunks = all.map((length, index) => Buffer.alloc(length, index + 1))
      for (const chunk of chunks) pieces.add(chunk)
      assert.ok(pieces.join().equals(Buffer.concat(chunks)))
    }),
  )
})

test('cleared pieces are gone', () => {
  const pieces = gatherPieces()
  for (const text of ['a', 'b']) pieces.add(Buffer.from(text))
  pieces.clear()
  pieces.add(Buffer.from('c'))
  assert.equal(pieces.join().toString(), 'c')
})

const MAX_BODIES_OF_ONE = MAX_HELD_BY_ONE / MAX_BODY_BYTES

const fill = (holdMemory: HoldMemory, organization: number) => {
  const held = []
  for (;;) {
    const share = holdMemory(organization)
    if (!share.hold(MAX_BODY_BYTES)) return held
    held.push(share)
  }
}

describe('The memory that the feed holds', () => {
  it('leaves room for other organizations, however much one sends', () => {
    const holdMemory = openHeldMemory()
    assert.equal(fill(holdMemory, 1).length, MAX_BODIES_OF_ONE)
    assert.equal(holdMemory(1).hold(1), false)
    assert.equal(holdMemory(2).hold(MAX_BODY_BYTES), true)
  })

  it('is limited in total', () => {
    const holdMemory = openHeldMemory()
    const held = Array.from({ length: 10 }, (_, organization) =>
      fill(holdMemory, organization),
    ).flat()
    assert.equal(held.length, MAX_HELD_BYTES / MAX_BODY_BYTES)
  })

  it('is free again after the requests', () => {
    const holdMemory = openHeldMemory()
    for (let round = 0; round < 3; round++) {
      const held = fill(holdMemory, 1)
      assert.equal(held.length, MAX_BODIES_OF_ONE)
      for (const share of held) share[Symbol.dispose]()
    }
  })

  it('has room for the largest request', () => {
    const share = openHeldMemory()(1)
    assert.ok(share.hold(MAX_BODY_BYTES), 'as it came')
    assert.ok(share.hold(MAX_BODY_BYTES), 'unpacked')
    share.release(MAX_BODY_BYTES)
    const rows = MAX_ROWS * ROW_BYTES + MAX_ATTRIBUTES * ATTRIBUTE_BYTES
    assert.ok(share.hold(rows), 'its rows')
  })
})

test('a body takes little more memory than its bytes, however short its chunks are', async () => {
  const BYTES = 100_000
  const sender = new PassThrough()
  const before = heapBytes()
  using held = openHeldMemory()(1)
  const received = receiveBody(sender as unknown as IncomingMessage, MAX_BODY_BYTES, held)
  for (let at = 0; at < BYTES; at += 1) {
    sender.write(Buffer.alloc(1, at % 251))
    if (at % 1_000 === 0) await turn()
  }
  await turn()
  const taken = heapBytes() - before
  assert.ok(taken < 10 * BYTES, `${taken} bytes`)
  sender.end()
  const expected = Buffer.from(Array.from({ length: BYTES }, (_, at) => at % 251))
  assert.ok(expected.equals((await received) as Buffer))
})

test('a body of the greatest length is taken wherever the network cuts it', async () => {
  const MAX_BYTES = 64 * 1024
  for (const first of [1, 63, 64, MAX_BYTES - 1]) {
    const sender = new PassThrough()
    using held = openHeldMemory()(1)
    const received = receiveBody(sender as unknown as IncomingMessage, MAX_BYTES, held)
    sender.write(Buffer.alloc(first))
    sender.end(Buffer.alloc(MAX_BYTES - first))
    assert.equal(((await received) as Buffer).length, MAX_BYTES)
  }
})

test('a body of more short chunks than its bytes are worth is refused', async () => {
  const CHUNKS = 1_000
  for (const [sent, expected] of [
    [CHUNKS, undefined],
    [CHUNKS + 1, 'too large'],
  ] as const) {
    const sender = new PassThrough()
    using held = openHeldMemory()(1)
    const received = receiveBody(sender as unknown as IncomingMessage, CHUNKS * 64, held)
    for (let at = 0; at < sent; at += 1) sender.write('x')
    sender.end()
    assert.deepEqual(await received, expected ?? Buffer.alloc(CHUNKS, 'x'))
  }
})

test('an unwanted body of short chunks is slowed down as one of long chunks is', async () => {
  const chunksUntilPaused = async (chunk: Buffer) => {
    const headers = { 'transfer-encoding': 'chunked' }
    const sender = Object.assign(new PassThrough(), { headers })
    discardBody(sender as unknown as IncomingMessage)
    for (let sent = 1; ; sent += 1) {
      sender.write(chunk)
      await turn()
      if (!sender.isPaused()) continue
      sender.destroy()
      return sent
    }
  }
  const DISCARDED_AT_ONCE_BYTES = 256 * 1024
  assert.equal(await chunksUntilPaused(Buffer.alloc(1)), DISCARDED_AT_ONCE_BYTES / 64)
  assert.equal(await chunksUntilPaused(Buffer.alloc(1024)), DISCARDED_AT_ONCE_BYTES / 1024)
})

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { discardBody, openHeldMemory } from '../http/request-body.ts'
import { bodyTooLarge, MAX_BODY_BYTES } from './refusal.ts'
import { receiveBody } from './request.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

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
    [CHUNKS + 1, bodyTooLarge(CHUNKS * 64)],
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
    const sender = new PassThrough()
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

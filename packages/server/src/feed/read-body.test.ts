import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openHeldMemory } from './held-memory.ts'
import { receiveBody } from './read-body.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('a body takes little more memory than its bytes, however short its chunks', async () => {
  const BYTES = 100_000
  const sender = new PassThrough()
  const before = heapBytes()
  using held = openHeldMemory()(1)
  const received = receiveBody(sender as unknown as IncomingMessage, BYTES, held)
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

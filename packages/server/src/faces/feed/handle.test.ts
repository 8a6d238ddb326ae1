import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { openHeldMemory, openReadingTurns } from '../../base/http/request-body.ts'
import type { FailedRequest } from './feed-log.ts'
import { type Feed, handle } from './handle.ts'

/** A feed that takes nothing, and a request to it of which the body lacks its last byte. */
async function unfinished(more: Partial<Feed>) {
  const failed: FailedRequest[] = []
  const answered: number[] = []
  const feed: Feed = {
    ingest: { take: () => assert.fail('nothing is to be taken') },
    catchUp: () => undefined,
    findToken: () => ({ organization: 1, id: 1, client: null }),
    denialOf: () => ({ reason: 'unknown' }),
    holdMemory: openHeldMemory(),
    inReadingTurn: openReadingTurns(),
    clock: handedClock(),
    log: {
      failed: (request) => void failed.push(request),
      rejected: () => assert.fail(),
      failure: assert.fail,
    },
    metrics: {
      request: (_, status) => void answered.push(status),
      rows: assert.fail,
      rejected: assert.fail,
      unread: assert.fail,
    },
    ...more,
  }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: t\r\n')
  socket.write('Content-Length: 2\r\n\r\n[')
  const [message, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const handled = handle(feed, message, response, false, () => false)
  return {
    ...{ message, socket, handled, answered },
    failures: () =>
      failed.map(({ refusal, format, denial }) => ({ status: refusal?.status, format, denial })),
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

const SOON = { timeout: 10_000 }

test('a request is released if its sender disconnects while changes are read', SOON, async () => {
  const changes = Promise.withResolvers<void>()
  await using request = await unfinished({ catchUp: () => changes.promise })
  const { message, socket, handled } = request
  const gone = new Promise((resolve) => message.once('close', resolve))
  socket.destroy()
  await gone
  changes.resolve()
  await handled
  const cut = { status: undefined, format: 'positions', denial: undefined }
  assert.deepEqual(request.failures(), [cut])
  assert.deepEqual(request.answered, [])
})

test('a token that ends while its body comes is refused', SOON, async () => {
  const clock = handedClock()
  let isRevoked = false
  const token = { organization: 1, id: 1, client: null }
  const lookedUp = Promise.withResolvers<void>()
  await using request = await unfinished({
    clock,
    findToken() {
      lookedUp.resolve()
      return isRevoked ? undefined : token
    },
  })
  await lookedUp.promise
  isRevoked = true
  clock.advanceUs(2_000_000)
  request.socket.write(']')
  await request.handled
  const refused = { status: 401, format: 'positions', denial: { reason: 'unknown' } }
  assert.deepEqual(request.failures(), [refused])
  assert.deepEqual(request.answered, [401])
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { openHeldMemory } from '../http/request-body.ts'
import type { FailedRequest } from './feed-log.ts'
import { type Feed, handle } from './handle.ts'
import { openReadingTurns } from './request.ts'

test('a request is released if its sender disconnects while changes are read', {
  timeout: 10_000,
}, async () => {
  const changes = Promise.withResolvers<void>()
  const failed: FailedRequest[] = []
  const feed: Feed = {
    ingest: { take: () => assert.fail('nothing is to be taken') },
    catchUp: () => changes.promise,
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
      request: assert.fail,
      rows: assert.fail,
      rejected: assert.fail,
      unread: assert.fail,
    },
  }
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: t\r\n')
  socket.write('Content-Length: 2\r\n\r\n[]')
  const [message, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const handled = handle(feed, message, response, false, () => false)
  const gone = new Promise((resolve) => message.once('close', resolve))
  socket.destroy()
  await gone
  changes.resolve()
  await handled
  assert.deepEqual(
    failed.map(({ refusal, format }) => ({ refusal, format })),
    [{ refusal: undefined, format: 'positions' }],
  )
})

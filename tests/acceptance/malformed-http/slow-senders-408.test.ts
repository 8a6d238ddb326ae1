import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { exchange, type RawAnswer } from '../harness/raw-socket.ts'

const fleet = await startFleet({ full: 0, plain: 1 })
/** The header timeout, and the time the server may take to notice. */
const HEADERS_MS = 5_000
const NOTICED_MS = 12_000
const BEGUN = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\nX-A: '

const { api, feed } = fleet.server
/** The listeners, and the code of their 408. */
const LISTENERS = { 'the API': [api, 'ERR999'], 'the feed': [feed, 'FEED.408_001'] } as const

describe('Slow senders: 408', { concurrency: true }, () => {
  for (const [name, [url, code]] of Object.entries(LISTENERS)) {
    const port = Number(new URL(url).port)

    function assertTimedOut(answer: RawAnswer): void {
      assertRefused(answer, 408, code)
      assert.equal(answer.headers.connection?.toLowerCase(), 'close')
      assert.ok(answer.tookMs >= HEADERS_MS - 50, `${answer.tookMs} ms`)
      assert.ok(answer.tookMs < NOTICED_MS, `${answer.tookMs} ms`)
    }

    describe(name, { concurrency: true }, () => {
      it('are disconnected if their headers arrive byte by byte', async () => {
        const startedAt = performance.now()
        const socket = connect(port, '127.0.0.1', () => socket.write(BEGUN)).on('error', () => {})
        const drip = setInterval(() => socket.write('x'), 500)
        await once(socket.resume(), 'close')
        clearInterval(drip)
        const tookMs = performance.now() - startedAt
        assert.ok(tookMs >= HEADERS_MS - 50 && tookMs < NOTICED_MS, `${tookMs} ms`)
      })

      it('are disconnected if their headers stop, and keep no other from being served', async () => {
        let disconnected = 0
        const slow = Array.from({ length: 50 }, async () => {
          assertTimedOut(await exchange(port, BEGUN, NOTICED_MS))
          disconnected += 1
        })
        const { status } = await request(url, '/public/v1/ping')
        assert.equal(status, name === 'the API' ? 200 : 404)
        assert.equal(disconnected, 0, 'it was served while all of them were connected')
        await Promise.all(slow)
      })
    })
  }
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { exchange, type RawAnswer } from '../harness/raw-socket.ts'

const fleet = await startFleet({ full: 0, plain: 1 })
/** The header timeout, and the time the server may take to notice. */
const HEADERS_MS = 5_000
const NOTICED_MS = 12_000

function assertTimedOut(answer: RawAnswer): void {
  assertRefused(answer, 408, 'ERR999')
  assert.equal(answer.headers.connection?.toLowerCase(), 'close')
  assert.ok(answer.tookMs >= HEADERS_MS - 50, `${answer.tookMs} ms`)
  assert.ok(answer.tookMs < NOTICED_MS, `${answer.tookMs} ms`)
}

describe('Slow senders: 408', { concurrency: true }, () => {
  const begun = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\nX-A: '

  it('are disconnected if their headers stop', async () => {
    assertTimedOut(await exchange(fleet.server.port, begun, NOTICED_MS))
  })

  it('are disconnected if their headers arrive byte by byte', async () => {
    const { port } = fleet.server
    const startedAt = performance.now()
    const closedAfter = await new Promise<number>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(begun))
      const drip = setInterval(() => socket.write('x'), 500)
      const timer = setTimeout(() => reject(new Error('still open')), NOTICED_MS)
      socket.resume().on('error', () => {})
      socket.on('close', () => {
        clearInterval(drip)
        clearTimeout(timer)
        resolve(performance.now() - startedAt)
      })
    })
    assert.ok(closedAfter >= HEADERS_MS - 50, `${closedAfter} ms`)
  })

  it('are disconnected if their body never arrives', async () => {
    const post = 'POST /public/v1/objects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n'
    const answer = await exchange(fleet.server.port, post, NOTICED_MS)
    assert.ok([405, 408].includes(answer.status), answer.text)
  })

  it('do not keep others from being served', async () => {
    let disconnected = 0
    const slow = Array.from({ length: 50 }, async () => {
      assertTimedOut(await exchange(fleet.server.port, begun, NOTICED_MS))
      disconnected += 1
    })
    const quick = await exchange(
      fleet.server.port,
      'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    assert.equal(quick.status, 200)
    assert.equal(disconnected, 0, 'it was served while all of them were connected')
    await Promise.all(slow)
  })
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { exchange, type RawAnswer } from '../harness/raw-socket.ts'

const fleet = await startFleet({ full: 0, plain: 1 })
/** The header timeout, and how long the server may take to notice. */
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

  it('headers that stop coming', async () => {
    assertTimedOut(await exchange(fleet.server.port, begun, NOTICED_MS))
  })

  it('headers that come a byte at a time', async () => {
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

  it('a body that never comes', async () => {
    const post = 'POST /public/v1/objects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n'
    const answer = await exchange(fleet.server.port, post, NOTICED_MS)
    assert.ok([405, 408].includes(answer.status), answer.text)
  })

  it('many of them leave the others served', async () => {
    const slow = Array.from({ length: 50 }, () =>
      exchange(fleet.server.port, begun, NOTICED_MS).then(assertTimedOut),
    )
    const quick = await exchange(
      fleet.server.port,
      'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    assert.equal(quick.status, 200)
    assert.ok(quick.tookMs < 2_000, `${quick.tookMs} ms`)
    await Promise.all(slow)
  })
})

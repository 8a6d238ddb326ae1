import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startFleetProcess } from '../../harness/fleet.ts'
import { IDENTS } from '../../harness/fleet-data.ts'
import { senderOf, senderTo } from '../../harness/sender.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { residentMiB } from '../../harness/watched-process.ts'

const MEBIBYTE = 2 ** 20
const BODY_BYTES = 8 * MEBIBYTE
/** `FLOOD=whole` has a hundred; forty would hold 320 MB already. */
const SENDERS = process.env.FLOOD === 'whole' ? 100 : 40
/** V8's own limit for the heap of the server. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }
const MAX_GROWN_MB = 300
const MAX_WAIT_MS = 20_000

describe('Bodies that unpack to a thousand times their size', async () => {
  const fleet = await startFleetProcess({ full: 0, plain: 2 })
  const attacker = await senderOf(fleet, fleet.take())
  const other = fleet.take()
  let server: ServerProcess

  before(async () => {
    await fleet.server.stop()
    server = await serve(fleet.deployment, ['--geocoder', 'off'], SMALL_HEAP)
  })
  after(() => server.stop())

  /** The maximum number of rows of a request, which fill a body. */
  const rows = Array.from({ length: 10_000 }, (_, i) => ({
    ...{ ident: IDENTS.van, time_device: 1_700_000_000 + i, latitude: 41, longitude: 2 },
    address: 'x'.repeat(700),
  }))
  const plain = Buffer.from(JSON.stringify(rows))
  const spaces = Buffer.concat([
    Buffer.from('['),
    Buffer.alloc(BODY_BYTES - 2, ' '),
    Buffer.from(']'),
  ])
  const attacks = {
    'gzip of blanks': { body: gzipSync(spaces), coding: 'Content-Encoding: gzip\r\n' },
    'gzip of rows': { body: gzipSync(plain), coding: 'Content-Encoding: gzip\r\n' },
    'rows as they are': { body: plain, coding: '' },
  }

  for (const [name, { body, coding }] of Object.entries(attacks)) {
    it(`are answered, and delay no other sender: ${name}`, async () => {
      const rest = residentMiB(server.pid)
      const over = new AbortController()
      const healthy = sendSteadily(over.signal)
      const port = Number(new URL(server.feed).port)
      const head =
        `POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: ${attacker.feedToken}\r\n` +
        `${coding}Content-Length: ${body.length}\r\n\r\n`
      const answers = await Promise.all(
        Array.from({ length: SENDERS }, () => statusOf(port, head, body)),
      )
      over.abort()
      const { stored, slowestMs } = await healthy
      const grownMb = residentMiB(server.pid, 'peak') - rest
      const summary = `${count(answers)}; grown ${grownMb.toFixed(0)} MB; slowest of ${stored} ${slowestMs.toFixed(0)} ms`
      // Blanks are not rows: 400.
      const read = name === 'gzip of blanks' ? 400 : 200
      assert.ok(
        answers.every((status) => status === read || status === 503),
        summary,
      )
      assert.ok(answers.includes(read), summary)
      assert.ok(grownMb <= MAX_GROWN_MB, summary)
      assert.ok(slowestMs <= MAX_WAIT_MS, summary)
    })
  }

  /** Sends packets of another organization one after the other: each must be stored. */
  async function sendSteadily(signal: AbortSignal) {
    const sender = senderTo(other, () => server.feed)
    let [stored, slowestMs] = [0, 0]
    while (!signal.aborted || stored === 0) {
      const row = { ident: IDENTS.van, time_device: Date.now(), latitude: 41, longitude: 2 }
      const startedAt = performance.now()
      const outcome = await sender.post([row])
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      assert.equal(outcome.rejected, 0)
      stored += 1
    }
    return { stored, slowestMs }
  }
})

/** Sends a body until it is answered, and resolves with the status; 0 without an answer. */
function statusOf(port: number, head: string, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let status = 0
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    socket.write(body)
    socket.once('data', (chunk) => {
      status = Number(chunk.toString('latin1', 9, 12))
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(status))
  })
}

function count(statuses: number[]): string {
  const counts = new Map<number, number>()
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, many]) => `${many} of ${status}`).join(', ')
}

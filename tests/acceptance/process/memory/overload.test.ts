import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { retryWhileBusy } from '../../../../packages/server/src/data/sqlite/unavailable.ts'
import type { Answer } from '../../harness/client.ts'
import type { Deployment } from '../../harness/deployment.ts'
import { assertRefused, resultOf } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { IDENTS } from '../../harness/fleet-data.ts'
import { exchange } from '../../harness/raw-socket.ts'
import { senderOf } from '../../harness/sender.ts'
import { historyOf } from '../../harness/sent-fix.ts'

const fleet = await startFleetProcess({ full: 0, plain: 3 })
const START = Date.parse('2024-07-01T00:00:00Z')
/** The timeout of a request to the feed, and the time the server may take to notice. */
const WHOLE_MS = 30_000
const NOTICED_MS = 12_000

describe('A full queue', async () => {
  const sender = await senderOf(fleet, fleet.take())
  const other = await senderOf(fleet, fleet.take())
  const ident = IDENTS.silent
  /** The requests of one organization that fit into memory, and the rows of each. */
  const TAKEN = 2
  const ROWS = 10_000

  const row = (second: number) => ({
    ...{ ident, time_device: START + second * 1000, latitude: 41, longitude: 2 },
  })
  const batch = (number: number) => {
    const rows = Array.from({ length: ROWS }, (_, i) => row(number * ROWS + i))
    return { method: 'POST', body: JSON.stringify(rows) }
  }
  function assertFull(answer: Answer): void {
    assertRefused(answer, 503, 'FEED.503_001', /send it again/)
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  }

  it('answers 503 with Retry-After, and drops no accepted packet', async () => {
    // While another process writes, nothing leaves the queue.
    const letGo = await holdWrites(fleet.deployment)
    const taken = new Set(Array.from({ length: TAKEN + 2 }, (_, number) => number))
    const sending = [...taken].map((number) => sender.send('/positions', batch(number)))
    const others = other.post([row(0)])
    try {
      for (let refused = 0; refused < 2; refused += 1) {
        const waiting = [...taken].map(async (number) => ({
          number,
          answer: await sending[number]!,
        }))
        const { number, answer } = await Promise.race(waiting)
        assertFull(answer)
        taken.delete(number)
      }
      // Reads are unaffected.
      resultOf(await sender.get(`/positions/latest?ids=${sender.objects.silent}`))
    } finally {
      await letGo()
    }
    for (const number of taken) {
      const { rejects: _, ...outcome } = resultOf(await sending[number]!)
      assert.deepEqual(outcome, { stored: ROWS, duplicate: 0, conflict: 0, rejected: 0 })
    }
    assert.equal((await others).stored, 1, 'another organization has memory of its own')
    const rows = await historyOf(sender, sender.objects.silent)
    const batches = rows.map(({ time_device }) =>
      Math.floor((Date.parse(time_device) - START) / 1000 / ROWS),
    )
    assert.equal(rows.length, TAKEN * ROWS)
    assert.deepEqual(new Set(batches), new Set([...taken].sort((a, b) => a - b)))
  })
})

describe('A sender to the feed', { concurrency: true }, async () => {
  const sender = await senderOf(fleet, fleet.take())
  const port = Number(new URL(fleet.server.feed).port)
  const row = { ident: IDENTS.van, time_device: START, latitude: 41, longitude: 2 }
  const body = JSON.stringify([row, row])
  const begun =
    `POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: ${sender.feedToken}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body.slice(0, -10)}`

  it('is answered 408 if its body does not arrive within 30 s', async () => {
    const answer = await exchange(port, begun, WHOLE_MS + NOTICED_MS)
    assertRefused(answer, 408, 'FEED.408_001')
    assert.ok(answer.tookMs >= WHOLE_MS - 50, `${answer.tookMs} ms`)
  })

  it('stores nothing if it disconnects midway', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.end(begun)
    await once(socket.resume(), 'close')
    const rows = await historyOf(sender, sender.objects.van)
    assert.ok(rows.every(({ time_device }) => Date.parse(time_device) < START))
  })
})

/** Blocks all other writers of positions, as a long transaction does. */
async function holdWrites({ folder, database }: Deployment): Promise<() => Promise<void>> {
  if (folder !== undefined) {
    const connection = new DatabaseSync(join(folder, 'fleetgate.db'))
    // The server may be writing.
    await retryWhileBusy(() => connection.exec('BEGIN IMMEDIATE'))
    return async () => {
      connection.exec('ROLLBACK')
      connection.close()
    }
  }
  const client = new pg.Client({ connectionString: database! })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE positions IN SHARE ROW EXCLUSIVE MODE')
  return async () => {
    await client.query('ROLLBACK')
    await client.end()
  }
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { request } from '../../harness/client.ts'
import { assertRefused } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { FEED_PREFIX, senderOf } from '../../harness/sender.ts'
import { withoutProc as skip } from '../../harness/watched-process.ts'

const fleet = await startFleetProcess({ full: 0, plain: 1 })
const sender = await senderOf(fleet, fleet.take())
const MIB = 1024 * 1024
const GZIP = { 'content-encoding': 'gzip' }

/** The processor time of the server for some work, in milliseconds. */
async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = processorMs()
  await work()
  return processorMs() - before
}

describe('A body of the feed', () => {
  const bombs: [what: string, body: Buffer][] = [
    ['deep', Buffer.from('['.repeat(4 * MIB - 1) + ']'.repeat(4 * MIB - 1))],
    ['of millions of values', Buffer.from(`[${'[],'.repeat(2 * MIB)}1]`)],
    ['of millions of members', Buffer.from(`[{${'"a":{},'.repeat(MIB - 1)}"a":1}]`)],
    ['of millions of lines', Buffer.from(`{}${'\n'.repeat(8 * MIB - 2)}`)],
  ]
  for (const [what, body] of bombs) {
    it(`costs less than a second of processor time: ${what}`, { skip }, async () => {
      const packed = gzipSync(body)
      const tookMs = await processorTimeOf(async () => {
        for (const path of ['/positions', '/traccar']) {
          const options = { method: 'POST', body: packed, headers: GZIP }
          const { status } = await sender.send(path, options)
          assert.ok([200, 400, 413].includes(status), `${status} ${path}`)
        }
      })
      assert.ok(tookMs < 1_000, `${tookMs} ms`)
    })
  }

  it('is not read from a sender without a token', async () => {
    const options = { method: 'POST', body: Buffer.alloc(MIB, '['), headers: {} }
    const answer = await request(fleet.server.feed, `${FEED_PREFIX}/positions`, options)
    assertRefused(answer, 401, 'FEED.401_001')
  })
})

describe('One organization', () => {
  it('takes little from others when it sends requests without pause', { skip }, async () => {
    const tookMs = await processorTimeOf(async () => {
      const ids = Array.from({ length: 1_000 }, (_, i) => i + 1).join(',')
      const asked = Array.from({ length: 200 }, () => sender.get(`/positions/latest?ids=${ids}`))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      assert.ok(statuses.filter((status) => status !== 429).length <= 10)
    })
    assert.ok(tookMs < 1_000, `${tookMs} ms`)
  })
})

/** Linux counts it in hundredths of a second. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${fleet.server.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { request } from '../../harness/client.ts'
import { assertRefused } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { PREFIX } from '../../harness/organization.ts'
import { FEED_PREFIX, senderOf } from '../../harness/sender.ts'

const fleet = await startFleetProcess({ full: 0, plain: 1 })
const sender = await senderOf(fleet, fleet.take())
const skip = process.platform === 'linux' ? false : 'it reads /proc'
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

  it('takes only the reserved memory, even with many senders at once', { skip }, async () => {
    const SENDERS = 60
    /** Two of them fill the 16 MiB of their organization. */
    const REFUSED = SENDERS - 2
    const port = Number(new URL(fleet.server.feed).port)
    const token = `X-Feed-Token: ${sender.feedToken}\r\n`
    const begun = `POST ${FEED_PREFIX}/positions HTTP/1.1\r\nHost: a\r\n${token}Content-Length: ${8 * MIB}\r\n\r\n`
    const sockets: Socket[] = []
    const refusals: string[] = []
    // All senders share one buffer: a sender that is busy building its body may miss its answer.
    const allButOne = Buffer.alloc(8 * MIB - 1, ' ')
    await new Promise<void>((resolve, reject) => {
      // All but the last byte, so that the server holds each body until its sender is refused or gone.
      for (let i = 0; i < SENDERS; i += 1) {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(begun)
          socket.write(allButOne)
        })
        socket.on('error', reject).on('data', (chunk) => {
          refusals.push(String(chunk))
          if (refusals.length === REFUSED) resolve()
        })
        sockets.push(socket)
      }
    })
    for (const refusal of refusals) assert.match(refusal, /^HTTP\/1\.1 503 .*FEED\.503_001/s)
    assert.ok(mostResidentMiB() < 450, `${mostResidentMiB()} MiB`)
    for (const socket of sockets) socket.destroy()
    assert.equal((await request(fleet.server.api, `${PREFIX}/ping`)).status, 200)
  })

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

function mostResidentMiB(): number {
  const status = readFileSync(`/proc/${fleet.server.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

/** Linux counts it in hundredths of a second. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${fleet.server.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

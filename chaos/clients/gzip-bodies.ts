import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Finding } from '../part.ts'
import { neighbourFinding, sendSteadily } from './bodies.ts'
import type { Attack, Target } from './target.ts'
import { inMegabytes, settledBytes, watchMemory } from './watched-process.ts'

const MEBIBYTE = 2 ** 20
const BODY_BYTES = 8 * MEBIBYTE
/** 300 such bodies took 2,543 MB before the feed counted unpacked bytes. V8 collects freed memory late. */
const MAX_GROWN_BYTES = 256 * MEBIBYTE
const PATIENCE_MS = 120_000

/** Many simultaneous bodies of some kilobytes that unpack to 8 MiB each, all with one feed token. */
export function gzipBodies(senders: number, rounds: number): Attack {
  return {
    name: 'gzip',
    async run(target) {
      const { pid } = target.server
      const packed = [blanks(), rows(target)].map((body) => gzipSync(body))
      using memory = watchMemory(pid, await settledBytes(pid))
      const over = new AbortController()
      const neighbour = sendSteadily(target, over.signal)
      const statuses: number[] = []
      for (let round = 0; round < rounds; round++) {
        for (const body of packed) {
          const sent = Array.from({ length: senders }, () => statusOf(target, body))
          statuses.push(...(await Promise.all(sent)))
        }
      }
      over.abort()
      return [
        answersFinding(statuses, packed),
        {
          what: 'memory grows meanwhile, all of them sent with one token',
          bar: 'at most 256 MB',
          measured: inMegabytes(memory.grown()),
          met: memory.grown() <= MAX_GROWN_BYTES,
        },
        neighbourFinding(await neighbour),
      ]
    },
  }
}

function blanks(): Buffer {
  return Buffer.concat([Buffer.from('['), Buffer.alloc(BODY_BYTES - 2, ' '), Buffer.from(']')])
}

/** The maximum number of rows of a request. Their ident is unknown, so that each gets a line in the answer. */
function rows({ install }: Target): Buffer {
  const row = { ident: `${install.others[0]!.ident}-x`, time_device: 1, latitude: 1, longitude: 1 }
  return Buffer.from(JSON.stringify(new Array(10_000).fill({ ...row, address: 'x'.repeat(700) })))
}

function answersFinding(statuses: number[], packed: Buffer[]): Finding {
  const many = (status: number) => statuses.filter((each) => each === status).length
  const [read, refused] = [many(200) + many(400), many(503)]
  const kilobytes = packed.map(({ length }) => Math.round(length / 1024)).join(' and ')
  return {
    what: `${statuses.length} bodies of ${kilobytes} kB that unpack to 8 MiB each`,
    bar: 'all answered: read, or 503; some read',
    measured: `${read} read, ${refused} of 503, ${statuses.length - read - refused} otherwise`,
    met: read > 0 && read + refused === statuses.length,
  }
}

/** 0 without an answer. */
function statusOf({ install, feedPort }: Target, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(feedPort, '127.0.0.1')
    let status = 0
    socket.write(
      `POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: ${install.feedTokens[0]}\r\n` +
        `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
    socket.once('data', (chunk) => {
      status = Number(chunk.toString('latin1', 9, 12))
      socket.destroy()
    })
    socket.on('error', () => {})
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(status)
    })
  })
}

import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { detailRequest } from '../../bench/requests.ts'
import type { Finding } from '../part.ts'
import { type Attack, LOOSE_DESCRIPTORS } from './target.ts'
import {
  descriptorsFall,
  descriptorsOf,
  inMegabytes,
  settledBytes,
  watchMemory,
} from './watched-process.ts'

const MAX_GROWN_BYTES = 64 * 2 ** 20
const FLOOD_MS = 8_000
/** Requests in one write. */
const TOGETHER = 500

/**
 * `connections` to each listener, and as many with a key, that send requests without a pause and read no answer.
 */
export function pipelining(connections: number): Attack {
  return {
    name: 'pipelining',
    async run({ server, install, feedPort, adminPort }) {
      const { pid } = server
      const before = descriptorsOf(pid)
      using memory = watchMemory(pid, await settledBytes(pid))
      const get = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      const floods = Array.from({ length: connections }, () => [
        flood(server.port, get('/public/v1/ping')),
        flood(server.port, detailRequest(install.long[0]!)),
        flood(feedPort, get('/feed/v1/positions')),
        flood(adminPort, get('/health')),
      ]).flat()
      await wait(FLOOD_MS)
      const sent = floods.reduce((sum, each) => sum + each.sentBytes(), 0)
      const grown = memory.grown()
      for (const each of floods) each.close()
      const { left } = await descriptorsFall(pid, before + LOOSE_DESCRIPTORS, 5_000)
      const finding: Finding = {
        what: `${floods.length} connections that send requests without end and read no answer: memory grows`,
        bar: 'less than 64 MB; no descriptor left',
        measured: `${inMegabytes(grown)}, of ${inMegabytes(sent)} of requests that were taken; ${left}`,
        met: grown < MAX_GROWN_BYTES && left === 0,
      }
      return [finding]
    },
  }
}

/** Sends a request repeatedly, as fast as the server reads. */
function flood(port: number, request: Buffer): { sentBytes(): number; close(): void } {
  const together = Buffer.concat(Array.from({ length: TOGETHER }, () => request))
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  const requests = Readable.from(forever(together), { highWaterMark: 1 })
  requests.pipe(socket)
  return {
    sentBytes: () => socket.bytesWritten - socket.writableLength,
    close() {
      requests.destroy()
      socket.destroy()
    },
  }
}

function* forever<T>(item: T): Generator<T> {
  for (;;) yield item
}

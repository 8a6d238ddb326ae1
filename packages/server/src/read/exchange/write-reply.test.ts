import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  type ClientRequest,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, get as getOverTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { selfSigned } from '../../../testing/certificate.ts'
import { listening } from '../../base/http/http-connections.ts'
import { holdHandedOver } from '../../base/http/socket-answer.ts'
import type { Coding } from './negotiation.ts'
import type { Reply } from './reply.ts'
import { compress, compressor, PIECE_TIMEOUT_MS, writeReply } from './write-reply.ts'

type Body = AsyncIterable<Uint8Array>
const certificate = selfSigned()
type Protocol = {
  open(answer: RequestListener): Server
  ask(port: number, answered: (answer: IncomingMessage) => void): ClientRequest
}
const PROTOCOLS: Record<string, Protocol> = {
  HTTP: { open: createServer, ask: (port, answered) => get({ port }, answered) },
}
if (certificate !== undefined) {
  PROTOCOLS.TLS = {
    open: (answer) => createTlsServer({ ...certificate }, answer),
    ask: (port, answered) => getOverTls({ port, rejectUnauthorized: false }, answered),
  }
}

describe('A streamed body', () => {
  for (const protocol of Object.keys(PROTOCOLS)) {
    it(`arrives whole over ${protocol} although its blocks share their memory`, async (t) => {
      const server = await start(t, protocol, () => countedBlocks(300))
      const body = await buffer(await server.ask())
      assert.ok(body.equals(Buffer.concat(await copied(countedBlocks(300)))))
    })

    it(`arrives whole over ${protocol} in a coding`, async (t) => {
      const server = await start(t, protocol, () => countedBlocks(300), 'zstd')
      const body = zstdDecompressSync(await buffer(await server.ask()))
      assert.ok(body.equals(Buffer.concat(await copied(countedBlocks(300)))))
    })

    for (const coding of [undefined, 'zstd'] as const) {
      it(`ends over ${protocol}, ${coding ?? 'plain'}, if its client disconnects without reading it`, async (t) => {
        const endless = observed()
        const server = await start(t, protocol, endless.body, coding)
        const answer = await server.ask()
        answer.pause()
        await endless.stalled()
        answer.destroy()
        await endless.freed
        await server.written()
      })
    }

    for (const coding of [undefined, 'zstd'] as const) {
      it(`ends over ${protocol}, ${coding ?? 'plain'}, if its client reads nothing for 120 s`, async (t) => {
        t.mock.timers.enable({ apis: ['setInterval'] })
        const endless = observed()
        const server = await start(t, protocol, endless.body, coding)
        const answer = await server.ask()
        answer.pause()
        const cut = new Promise((resolve) => answer.once('error', resolve))
        // A stream that seems to wait may still be compressing.
        while (!endless.isFreed()) {
          await endless.stalled()
          t.mock.timers.tick(PIECE_TIMEOUT_MS)
        }
        await server.written()
        answer.resume()
        await cut
      })

      it(`continues over ${protocol}, ${coding ?? 'plain'}, if its client reads some of it in that time`, async (t) => {
        t.mock.timers.enable({ apis: ['setInterval'] })
        const endless = observed()
        const server = await start(t, protocol, endless.body, coding)
        const answer = await server.ask()
        for (let time = 0; time < 3; time++) {
          answer.pause()
          await endless.stalled()
          t.mock.timers.tick(PIECE_TIMEOUT_MS - 1)
          answer.resume()
          await endless.more()
        }
        assert.ok(!endless.isFreed())
        answer.destroy()
        await server.written()
      })
    }

    it(`ends over ${protocol} if its client disconnects before the end of the compressed output`, async (t) => {
      for (const kibibytes of [64, 88, 1_000]) {
        const server = await start(t, protocol, () => randomBlocks(kibibytes), 'zstd')
        const answer = await server.ask()
        answer.pause()
        await passes()
        answer.destroy()
        await server.written()
      }
    })

    it(`aborts the started answer over ${protocol} if it fails`, async (t) => {
      const server = await start(t, protocol, failing)
      const answer = await server.ask()
      await assert.rejects(buffer(answer))
      await assert.rejects(server.written(), /the store went away/)
    })
  }

  for (const coding of [undefined, 'zstd'] as const) {
    for (const [how, last] of [
      ['', ''],
      [', having asked for a tunnel', 'CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ])
      it(`ends, ${coding ?? 'plain'}, if its client disconnects before an earlier answer is read${how}`, async (t) => {
        const bodies = Array.from({ length: 10 }, observed)
        let count = 0
        const server = await start(t, 'HTTP', () => bodies[count++]!.body(), coding)
        const warned: Error[] = []
        const note = (warning: Error) => warned.push(warning)
        process.on('warning', note)
        t.after(() => process.off('warning', note))
        const socket = connect(server.port, '127.0.0.1').pause()
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(bodies.length) + last)
        await Promise.all(bodies.map((body) => body.stalled()))
        socket.destroy()
        await Promise.all(bodies.map((body) => body.freed))
        await server.written()
        assert.deepEqual(warned, [], 'of too many listeners, say')
      })
  }
})

describe('A streamed body behind another answer on its connection', () => {
  it('has its 120 s from its turn on', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const [first, second] = [observed(), observed()]
    const bodies = [first.body, second.body]
    const server = await start(t, 'HTTP', () => bodies.shift()!())
    const socket = connect(server.port, '127.0.0.1').on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2))
    for (let time = 0; time < 3; time++) {
      socket.pause()
      await Promise.all([first.stalled(), second.stalled()])
      t.mock.timers.tick(PIECE_TIMEOUT_MS - 1)
      socket.resume()
      await first.more()
    }
    assert.ok(!first.isFreed() && !second.isFreed())
    first.end()
    await second.more()
    socket.pause()
    while (!second.isFreed()) {
      await second.stalled()
      t.mock.timers.tick(PIECE_TIMEOUT_MS)
    }
    await server.written()
  })
})

async function start(t: TestContext, protocol: string, body: () => Body, coding?: Coding) {
  const { write, written } = writer(body, coding)
  const { open, ask } = PROTOCOLS[protocol]!
  const server = open((_, response) => write(response))
  server.on('connect', (_, socket) => holdHandedOver(socket as Socket))
  const { port } = await listening(server, 0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port,
    ask: () => new Promise<Readable>((resolve, reject) => ask(port, resolve).on('error', reject)),
    written,
  }
}

/** Writes answers with these bodies; `written` settles when all are written, and rejects if one failed. */
function writer(body: () => Body, coding: Coding | undefined) {
  const writing: (Promise<boolean> | undefined)[] = []
  return {
    write(response: ServerResponse) {
      const one = writeReply(response, replyWith(body()), false, coding)
      one?.catch(() => {})
      writing.push(one)
    },
    written: async () => void (await Promise.all(writing)),
  }
}

function replyWith(body: Body): Reply {
  return { status: 200, headers: [], body, close: false }
}

/** The bytes of each block identify it; all blocks share one buffer. */
async function* countedBlocks(count: number): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(100_000)
  for (let i = 0; i < count; i++) {
    memory.fill(i)
    yield memory.subarray(0, 60_000 + ((i * 37) % 40_000))
  }
}

async function copied(blocks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const copies: Buffer[] = []
  for await (const block of blocks) copies.push(Buffer.from(block))
  return copies
}

async function* randomBlocks(kibibytes: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < kibibytes; i += 8) yield randomBytes(8_192)
}

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(100_000)
  throw new Error('the store went away')
}

/** An endless body that reports when no more of it is taken for a while, and when it is freed. */
function observed() {
  const freed = Promise.withResolvers<void>()
  let isFreed = false
  let isOver = false
  let taken = 0
  return {
    freed: freed.promise,
    isFreed: () => isFreed,
    end() {
      isOver = true
    },
    async *body(): AsyncGenerator<Buffer> {
      try {
        while (!isOver) {
          taken += 1
          // Random, so that no coding can shrink it to fit into the buffers.
          yield randomBytes(65_536)
        }
      } finally {
        isFreed = true
        freed.resolve()
      }
    },
    async more(): Promise<void> {
      for (const before = taken; taken === before; ) await new Promise(setImmediate)
    },
    async stalled(): Promise<void> {
      for (let before = -1; taken === 0 || taken !== before; ) {
        before = taken
        await passes()
      }
    },
  }
}

/** Passes of the event loop without a taken block: the buffers in between are full. */
async function passes(): Promise<void> {
  for (let pass = 0; pass < 2_000; pass++) await new Promise(setImmediate)
}

const DECODERS: Record<Coding, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
const CODINGS = Object.keys(DECODERS) as Coding[]

describe('A compressed body', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id }))))

  it('may be empty', async () => {
    for (const coding of CODINGS) {
      assert.deepEqual(DECODERS[coding](await compress(Buffer.alloc(0), coding)), Buffer.alloc(0))
    }
  })

  it('takes little memory for a client that does not read', async () => {
    for (const coding of CODINGS) {
      const before = process.memoryUsage.rss()
      const held = await Promise.all(Array.from({ length: 100 }, () => stalled(coding, body)))
      const grown = (process.memoryUsage.rss() - before) / held.length
      for (const each of held) each.destroy()
      assert.ok(grown < 600_000, `${coding}: ${grown} bytes each`)
    }
  })
})

/** Runs a compressor without a reader, as far as it goes. */
async function stalled(coding: Coding, body: Buffer): Promise<Duplex> {
  const stream = compressor(coding) as Duplex
  await new Promise((resolve) => stream.write(body, resolve))
  return stream
}

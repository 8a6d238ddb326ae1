import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { selfSigned } from '../../../testing/certificate.ts'
import { endlessly, openRawReceiver, type Writes } from '../../../testing/raw-receiver.ts'
import { posting } from '../../../testing/webhook-receiver.ts'
import type { Sent } from './outgoing.ts'
import { reachableUnless } from './resolve-addresses.ts'
import { openSender } from './sender.ts'

const certificate = selfSigned()
const SMALL = Buffer.from('{}')
/** More than a connection takes without a reader. */
const LARGE = Buffer.alloc(8 * 2 ** 20)
/** Long enough for the head of an answer on a machine under load. */
const DEADLINE_MS = 1_000
/** The deadline of a try that ends long before it, on a machine under load too. */
const FAR_DEADLINE_MS = 10_000
/** The receiver may be late in noticing that its connection has ended. */
const PATIENCE_MS = 20_000
/** An answer of 64 kB, its headers, and the buffers of two sockets. */
const MAX_WRITTEN_BYTES = 8 * 2 ** 20

const OK = 'HTTP/1.1 200 OK\r\n'
const LATE: Sent = { status: null, failure: 'no answer within 1 s', arrived: 0 }
const DELIVERED: Sent = { status: 200, failure: null, arrived: 1 }
const TOO_LONG: Sent = { status: null, failure: 'the answer is too long', arrived: 0 }
const OVERFLOW: Sent = {
  ...{ status: null, failure: 'the connection failed: HPE_HEADER_OVERFLOW', arrived: 0 },
}

function text(written: string): Writes {
  return (socket) => void socket.write(written)
}

function textThen(written: string, writes: Writes): Writes {
  return (socket) => {
    socket.write(written)
    writes(socket)
  }
}

/** A byte every 20 ms, as from a receiver that keeps a connection busy. */
const drip =
  (bytes: string): Writes =>
  (socket) => {
    const timer = setInterval(() => socket.write(bytes), 20)
    socket.on('close', () => clearInterval(timer))
  }

const chunk = (data: Buffer) =>
  Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')])

const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

/** Answers, and the result of a try that gets them. */
const ANSWERS: Record<string, { writes: Writes; sent: Sent; isAtOnce: boolean }> = {
  'never sends its body': {
    writes: text(`${OK}Content-Length: 10\r\n\r\n`),
    sent: DELIVERED,
    isAtOnce: false,
  },
  'never ends its body': {
    writes: text(`${CHUNKED}2\r\nok\r\n`),
    sent: DELIVERED,
    isAtOnce: false,
  },
  'drips its body': {
    writes: textThen(CHUNKED, drip('1\r\na\r\n')),
    sent: DELIVERED,
    isAtOnce: false,
  },
  'sends an endless body': {
    writes: textThen(CHUNKED, endlessly(chunk(Buffer.alloc(65_536)))),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends an endless body until its connection ends': {
    writes: textThen(`${OK}\r\n`, endlessly(Buffer.alloc(65_536))),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends an endless body in chunks of a byte': {
    writes: textThen(CHUNKED, endlessly(Buffer.alloc(60_000, '1\r\na\r\n'))),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends a body that unpacks to gigabytes': {
    writes: textThen(
      `${OK}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
      endlessly(chunk(gzipSync(Buffer.alloc(50_000_000)))),
    ),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends endless chunk extensions': {
    writes: textThen(`${CHUNKED}2;`, endlessly(Buffer.alloc(65_536, 'a'))),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends endless trailers': {
    writes: textThen(`${CHUNKED}0\r\n`, endlessly(Buffer.alloc(64_000, 'X-Y: z\r\n'))),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'refuses with an endless body': {
    writes: textThen('HTTP/1.1 500 No\r\n\r\n', endlessly(Buffer.alloc(65_536))),
    sent: { status: 500, failure: 'answered 500', arrived: 0 },
    isAtOnce: true,
  },
  'sends endless headers': {
    writes: textThen(OK, endlessly(Buffer.alloc(64_000, 'X-Y: z\r\n'))),
    sent: OVERFLOW,
    isAtOnce: true,
  },
  'sends one endless header': {
    writes: textThen(`${OK}X: `, endlessly(Buffer.alloc(64_000, 'a'))),
    sent: OVERFLOW,
    isAtOnce: true,
  },
  'drips its headers': { writes: textThen(OK, drip('X-Y: z\r\n')), sent: LATE, isAtOnce: false },
  'sends informational answers without end': {
    writes: endlessly(Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000))),
    sent: TOO_LONG,
    isAtOnce: true,
  },
  'drips informational answers': {
    writes: drip('HTTP/1.1 102 Processing\r\n\r\n'),
    sent: LATE,
    isAtOnce: false,
  },
  'changes to another protocol': {
    writes: textThen(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      drip('frame'),
    ),
    sent: {
      ...{ status: null, failure: 'the connection was closed before an answer', arrived: 0 },
    },
    isAtOnce: true,
  },
  'keeps its connection open after its answer': {
    writes: text(`${OK}Connection: keep-alive\r\nContent-Length: 2\r\n\r\nok`),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'sends two answers': {
    writes: text(`${OK}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'breaks off in its body': {
    writes: (socket) => socket.end(`${OK}Content-Length: 10\r\n\r\nabc`),
    sent: DELIVERED,
    isAtOnce: true,
  },
  'redirects with an endless body': {
    writes: textThen('HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n', endlessly(Buffer.alloc(65_536))),
    sent: { status: 302, failure: 'answered 302; redirects are not followed', arrived: 0 },
    isAtOnce: true,
  },
}

describe('A delivery is over', { skip: certificate === undefined && 'openssl is absent' }, () => {
  async function tryWith(t: TestContext, deadline: number, writes: Writes, body: Buffer) {
    const sender = openSender({
      isReachable: reachableUnless(['127.0.0.1/32']),
      resolve: async () => ['127.0.0.1'],
      ca: certificate?.cert,
      answerWithinMs: deadline,
    })
    t.after(() => sender.close())
    // A small request is read. Nobody reads a large one.
    const readsOn = body === SMALL
    const receiver = await openRawReceiver(certificate!, writes, readsOn)
    t.after(() => receiver.close())
    const from = performance.now()
    const sent = await sender.send(posting(receiver.url, body), AbortSignal.timeout(PATIENCE_MS))
    const tookMs = performance.now() - from
    return { sent, tookMs, receiver }
  }

  for (const [name, { writes, sent: expected, isAtOnce }] of Object.entries(ANSWERS)) {
    it(`and its connection closed, when the receiver ${name}`, async (t) => {
      const deadline = isAtOnce ? FAR_DEADLINE_MS : DEADLINE_MS
      const { sent, tookMs, receiver } = await tryWith(t, deadline, writes, SMALL)
      assert.deepEqual(sent, expected)
      assert.ok(isAtOnce === tookMs < deadline - 1, `after ${tookMs} ms`)
      await receiver.idle()
      assert.ok(receiver.written() < MAX_WRITTEN_BYTES, `${receiver.written()} bytes written`)
    })
  }

  it('at its deadline, when the receiver does not read the request', async (t) => {
    const { sent, receiver } = await tryWith(t, DEADLINE_MS, () => undefined, LARGE)
    assert.deepEqual(sent, LATE)
    await receiver.idle()
  })

  it('with its answer, when the receiver answers without reading the request', async (t) => {
    const answer = text(`${OK}Content-Length: 0\r\n\r\n`)
    const { sent, tookMs, receiver } = await tryWith(t, FAR_DEADLINE_MS, answer, LARGE)
    assert.deepEqual(sent, DELIVERED)
    assert.ok(tookMs < FAR_DEADLINE_MS - 1, `after ${tookMs} ms`)
    await receiver.idle()
  })
})

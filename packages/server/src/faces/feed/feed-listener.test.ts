import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Registry } from 'prom-client'
import { systemClock } from '../../base/domain/time/time.ts'
import type { HttpServer } from '../../base/http/http-server.ts'
import { MAX_HELD_BY_ONE } from '../../base/http/request-body.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { listenFeed } from './feed-listener.ts'
import { MAX_BODY_BYTES } from './feed-refusal.ts'
import { type Ingest, isFault, type Row, type RowOutcome } from './packet.ts'
import type { FeedToken } from './token.ts'

const TOKEN = 'fg_feed_right'
const FEED: FeedToken = { organization: 5, id: 9, client: null }
/** A body that the listener must refuse. */
const REFUSED = ' '.repeat(1_200_000)

/** Stores rows in memory; `refuse` rejects the next request, `hold` delays it. */
function memoryIngest() {
  const kept = new Set<string>()
  const ingest = {
    organizations: [] as number[],
    refuse: undefined as Error | undefined,
    hold: Promise.resolve(),
    async take({ organization }: FeedToken, rows: Row[]): Promise<RowOutcome[]> {
      ingest.organizations.push(organization)
      await ingest.hold
      if (ingest.refuse !== undefined) throw ingest.refuse
      return rows.map((row) => outcomeOf(row))
    },
  } satisfies Ingest & Record<string, unknown>

  function outcomeOf(row: Row): RowOutcome {
    if (isFault(row)) return { reason: row.reason, message: row.message, resend: 'never' }
    const { ident, fix } = row
    if (ident === 'stranger') return { reason: 'unknown_ident', message: ident, resend: 'never' }
    const key = `${ident} ${fix.timeDevice}`
    if (kept.has(key)) return 'duplicate'
    kept.add(key)
    return 'stored'
  }
  return ingest
}

type Answer = { status: number; head: string; body: string }

/** One raw answer; undefined if the connection ends without one. */
async function readAnswer(socket: Socket): Promise<Answer | undefined> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) continue
    const head = text.slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (text.length - end - 4 < length) continue
    return { status: Number(head.split(' ')[1]), head, body: text.slice(end + 4) }
  }
  return undefined
}

describe('The feed listener', () => {
  const ingest = memoryIngest()
  const registry = new Registry()
  const lines: string[] = []
  const logged = new EventEmitter()
  const failures: string[] = []
  let listener: HttpServer
  let url = ''

  before(async () => {
    listener = await open()
    url = `http://127.0.0.1:${listener.address.port}`
  })
  after(() => listener.drain())
  beforeEach(() => {
    lines.length = 0
    failures.length = 0
    ingest.refuse = undefined
    ingest.hold = Promise.resolve()
  })

  function open(metrics = registry): Promise<HttpServer> {
    return listenFeed(
      {
        ingest,
        catchUp: () => undefined,
        findToken: (token) => (token === TOKEN ? FEED : undefined),
        denialOf: () => ({ reason: 'unknown' }),
        clock: systemClock,
        logger: {
          line(members) {
            lines.push(members)
            logged.emit('line')
          },
          error: (_fields, message) => void failures.push(message),
        },
        // A different address for each request, so that no log line is thinned out.
        addressOf: () => `test ${lines.length}`,
        registry: metrics,
      },
      '127.0.0.1',
      0,
      {
        ...{ perAddress: 1, clientOf: () => null, inAll: Infinity },
        ...{ closed: () => {}, unreadable: () => undefined },
      },
      undefined,
    )
  }

  const post = (body: Buffer<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(`${url}/feed/v1/positions`, {
      method: 'POST',
      headers: { 'x-feed-token': TOKEN, ...headers },
      body,
    })
  const get = (path: string, headers: Record<string, string> = { 'x-feed-token': TOKEN }) =>
    fetch(url + path, { headers })

  async function raw(bytes: string): Promise<Answer | undefined> {
    const socket = connect(listener.address.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(bytes)
    try {
      return await readAnswer(socket)
    } finally {
      socket.destroy()
    }
  }

  async function assertRefused(response: Response, status: number, code: string, says: RegExp) {
    const text = await response.text()
    assert.equal(response.status, status, text)
    const { errorCode, message } = JSON.parse(text)
    assert.equal(errorCode, code)
    assert.match(message, says)
  }

  const row = (second: number, fields: object = {}) => ({
    ident: 'bus',
    time_device: 1_700_000_000 + second,
    latitude: 41,
    longitude: 2,
    ...fields,
  })

  it('keeps tokens out of the log', async () => {
    const secret = 'fg_feed_secret'
    const path = '/feed/v1/osmand?id=1'
    await (await get(`/feed/v1/${secret}/osmand?id=1`)).text()
    await (await get(`/feed/v1/${secret}/nothing?id=1`)).text()
    await (await get(path, { authorization: `Bearer ${secret}` })).text()
    await (await get(`/feed/v1/${TOKEN}/osmand?id=1&lat=1`)).text()
    await raw(`FETCH /feed/v1/${secret}/osmand HTTP/1.1\r\n\r\n`)
    assert.equal(lines.length, 4)
    assert.doesNotMatch(lines.join() + (await registry.metrics()), new RegExp(`${secret}|${TOKEN}`))
    const last = JSON.parse(`{${lines[3]}}`)
    assert.deepEqual(
      { ...last, ms: 0 },
      {
        ...{ organization: 5, token: 9, method: 'GET', feed: 'osmand', status: 400 },
        ...{ code: 'FEED.400_002', reason: 'missing_field: lon is missing', ms: 0 },
        ...{ address: 'test 3', request_id: last.request_id, msg: 'feed request' },
      },
    )
  })

  describe('refuses', () => {
    it('everything during an outage, with Retry-After', async () => {
      ingest.refuse = new StoreUnavailable('the disk is full')
      const away = await get('/feed/v1/osmand?id=bus&lat=1&lon=2')
      await assertRefused(away, 503, 'FEED.503_002', /store/)
      assert.equal(away.headers.get('retry-after'), '5')
      ingest.refuse = new Error('surprise')
      await assertRefused(
        await get('/feed/v1/osmand?id=bus&lat=1&lon=2'),
        500,
        'FEED.500_001',
        /again/,
      )
      assert.deepEqual(failures, ['the disk is full', 'surprise'])
    })

    it('requests beyond its memory, until earlier answers have left', async () => {
      const stored = Promise.withResolvers<void>()
      ingest.hold = stored.promise
      const before = ingest.organizations.length
      const large = Buffer.alloc(MAX_BODY_BYTES - 10_000, '\n')
      large.write('{}')
      const holding = Array.from({ length: MAX_HELD_BY_ONE / MAX_BODY_BYTES }, () =>
        post(large, { connection: 'close' }),
      )
      const gzip = { 'content-encoding': 'gzip' }
      const packed = gzipSync(large)
      while (ingest.organizations.length < before + holding.length) await new Promise(setImmediate)
      const full = await post(packed, gzip)
      await assertRefused(full, 503, 'FEED.503_001', /queue is full/)
      assert.equal(full.headers.get('retry-after'), '1')
      stored.resolve()
      for (const answer of await Promise.all(holding)) assert.equal(answer.status, 200)
      assert.equal((await post(packed, gzip)).status, 200)
    })

    it('invalid HTTP, and slow requests', async () => {
      const nonsense = await raw('nonsense\r\n\r\n')
      assert.equal(nonsense?.status, 400)
      assert.match(nonsense?.body ?? '', /FEED.400_004/)
      const hostless = await raw(`GET /feed/v1/${TOKEN}/osmand?id=1 HTTP/1.1\r\n\r\n`)
      assert.match(hostless?.body ?? '', /FEED.400_004/)
      const large = await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
      assert.match(large?.body ?? '', /FEED.431_001/)
      const proxied = await raw('CONNECT elsewhere:443 HTTP/1.1\r\nhost: x\r\n\r\n')
      assert.match(proxied?.body ?? '', /FEED.400_004/)
      const expecting = await raw('POST / HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n')
      assert.match(expecting?.body ?? '', /FEED.417_001/)
      const slow = await raw('POST /feed/v1/positions HTTP/1.1\r\nhost: x\r\n')
      assert.match(slow?.body ?? '', /FEED.408_001/)
    })
  })

  describe('follows HTTP', () => {
    const head = (fields: string) =>
      `POST /feed/v1/positions HTTP/1.1\r\nhost: x\r\n${fields}content-length: 2\r\n`

    it('and continues a request with Expect', async () => {
      const socket = connect(listener.address.port, '127.0.0.1')
      socket.write(`${head(`x-feed-token: ${TOKEN}\r\n`)}expect: 100-continue\r\n\r\n`)
      const [leave] = await once(socket, 'data')
      assert.match(String(leave), /^HTTP\/1\.1 100 /)
      socket.write('[]')
      assert.equal((await readAnswer(socket))?.status, 200)
      socket.destroy()
    })

    it('and refuses a request with Expect at once', async () => {
      const answer = await raw(`${head('')}expect: 100-continue\r\n\r\n`)
      assert.equal(answer?.status, 401)
      assert.match(answer?.head ?? '', /connection: close/i)
    })

    it('and keeps a connection over many requests, including refused ones', async () => {
      const socket = connect(listener.address.port, '127.0.0.1')
      for (const [token, status] of [
        ['wrong', 401],
        [TOKEN, 200],
        ['wrong', 401],
        [TOKEN, 200],
      ] as const) {
        socket.write(`${head(`x-feed-token: ${token}\r\n`)}\r\n[]`)
        assert.equal((await readAnswer(socket))?.status, status)
      }
      socket.destroy()
    })

    for (const [name, framing, body] of [
      ['of a known length', `content-length: ${REFUSED.length}`, REFUSED],
      [
        'in small chunks',
        'transfer-encoding: chunked',
        `${'c8\r\n'.concat(' '.repeat(200), '\r\n').repeat(6_000)}0\r\n\r\n`,
      ],
    ] as const) {
      it(`and keeps a connection after refusing a body of more than a megabyte: ${name}`, async () => {
        const socket = connect(listener.address.port, '127.0.0.1')
        const begunAt = performance.now()
        socket.write(
          `POST /feed/v1/positions HTTP/1.1\r\nhost: x\r\nx-feed-token: wrong\r\n${framing}\r\n\r\n${body}`,
        )
        assert.equal((await readAnswer(socket))?.status, 401)
        socket.write(`${head(`x-feed-token: ${TOKEN}\r\n`)}\r\n[]`)
        assert.equal((await readAnswer(socket))?.status, 200)
        // A pause of 50 ms follows each 64 KiB, and what one read of up to 64 KiB brings beyond them. The first comes
        // after a quarter of a megabyte.
        const pieces = Math.floor((REFUSED.length - 320 * 1024) / (128 * 1024))
        // A timer of Node may fire a millisecond early.
        assert.ok(performance.now() - begunAt >= pieces * 49, 'others had their turn')
        socket.destroy()
      })
    }

    it('and logs a sender that disconnects midway', async () => {
      const socket = connect(listener.address.port, '127.0.0.1')
      const request = `x-feed-token: ${TOKEN}\r\nexpect: 100-continue\r\n`
      socket.write(`${head(request)}\r\n[`)
      await once(socket, 'data')
      const line = once(logged, 'line')
      socket.destroy()
      await line
      assert.match(lines[0]!, /"feed":"positions","aborted":true/)
    })
  })

  it('counts requests by format and status, and rows by outcome, and logs rejected ones', async () => {
    const metrics = new Registry()
    const other = await open(metrics)
    const to = `http://127.0.0.1:${other.address.port}/feed/v1/`
    const headers = { 'x-feed-token': TOKEN }
    const body = JSON.stringify([row(50), row(50), row(51, { latitude: null })])
    await (await fetch(`${to}positions`, { method: 'POST', headers, body })).text()
    await (await fetch(`${to}osmand?id=stranger&lat=1&lon=1`, { headers })).text()
    await (await fetch(`${to}unheard`, { headers })).text()
    const text = await metrics.metrics()
    await other.drain()
    assert.match(lines[0]!, /"organization":5,"token":9,.*"rejected":\{"missing_field":1\}/)
    for (const line of [
      'fleetgate_feed_requests_total{format="positions",status="200"} 1',
      'fleetgate_feed_requests_total{format="osmand",status="400"} 1',
      'fleetgate_feed_requests_total{format="none",status="404"} 1',
      'fleetgate_feed_rows_total{format="positions",outcome="stored"} 1',
      'fleetgate_feed_rows_total{format="positions",outcome="duplicate"} 1',
      'fleetgate_feed_rows_total{format="positions",outcome="rejected"} 1',
      'fleetgate_feed_rows_total{format="osmand",outcome="rejected"} 1',
    ]) {
      assert.ok(text.includes(line), line)
    }
  })

  it('finishes pending requests before it ends', async () => {
    const other = await open(new Registry())
    const { promise, resolve: release } = Promise.withResolvers<void>()
    ingest.hold = promise
    const taken = ingest.organizations.length
    const answer = fetch(
      `http://127.0.0.1:${other.address.port}/feed/v1/${TOKEN}/osmand?id=bus&lat=1&lon=2`,
    )
    const arrived = async () => {
      while (ingest.organizations.length === taken) await new Promise(setImmediate)
    }
    await arrived()
    const drained = other.drain()
    // The waiting request is stored first.
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
    release()
    const response = await answer
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('connection'), 'close')
    await drained
  })
})

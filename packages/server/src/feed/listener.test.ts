import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Registry } from 'prom-client'
import { fixtureBytes } from '../../testing/feed-format/fixture.ts'
import { systemClock } from '../domain/time/clock.ts'
import { MAX_HELD_BY_ONE } from '../http/held-memory.ts'
import type { HttpServer } from '../http/http-server.ts'
import { StoreUnavailable } from '../store/store.ts'
import { listenFeed } from './listener.ts'
import { type Ingest, isFault, type Row, type RowOutcome } from './packet.ts'
import { MAX_BODY_BYTES, MAX_ROWS } from './refusal.ts'
import type { FeedToken } from './token.ts'

const TOKEN = 'fg_feed_right'
/** A body that the listener must refuse. */
const REFUSED = ' '.repeat(1_200_000)

/** Stores rows in memory; `refuse` rejects the next request, `hold` delays it. */
function memoryIngest() {
  const kept = new Map<string, string>()
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
    if (fix.latitude === 0 && fix.longitude === 0) {
      return { reason: 'no_fix', message: 'no fix', resend: 'needless' }
    }
    const key = `${ident} ${fix.timeDevice}`
    const content = JSON.stringify({ ...fix, timeServer: 0 })
    const existing = kept.get(key)
    if (existing !== undefined) return existing === content ? 'duplicate' : 'conflict'
    kept.set(key, content)
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
        findToken: (token) => (token === TOKEN ? { organization: 5, id: 9 } : undefined),
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

  const post = (
    path: string,
    body?: string | Uint8Array<ArrayBuffer> | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'x-feed-token': TOKEN, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const get = (path: string, headers: Record<string, string> = { 'x-feed-token': TOKEN }) =>
    fetch(url + path, { headers })

  async function raw(bytes: string | Buffer): Promise<Answer | undefined> {
    const socket = connect(listener.address.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(bytes)
    try {
      return await readAnswer(socket)
    } finally {
      socket.destroy()
    }
  }

  /** The recorded bytes with the path from the client's settings. */
  const sendFixture = (name: string, path: string) =>
    raw(
      Buffer.from(
        fixtureBytes(name)
          .toString('latin1')
          .replace(/ \/(?=[ ?])/, ` ${path}`),
        'latin1',
      ),
    )

  async function assertRefused(response: Response, status: number, code: string, says: RegExp) {
    const text = await response.text()
    assert.equal(response.status, status, text)
    const body = JSON.parse(text)
    assert.deepEqual(Object.keys(body), ['statusCode', 'errorCode', 'message', 'timestamp'])
    assert.equal(body.statusCode, status)
    assert.equal(body.errorCode, code)
    assert.match(body.message, says)
    assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    return response
  }

  const row = (second: number, fields: object = {}) => ({
    ident: 'bus',
    time_device: 1_700_000_000 + second,
    latitude: 41,
    longitude: 2,
    ...fields,
  })

  describe('answers the native format', () => {
    it('with the result for each row', async () => {
      const rows = [
        row(1),
        row(2),
        row(1),
        row(2, { speed: 5 }),
        row(3, { speed: 'fast' }),
        row(4, { ident: 'stranger' }),
        'nonsense',
      ]
      const response = await post('/feed/v1/positions', JSON.stringify(rows))
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), {
        statusCode: 200,
        result: {
          stored: 2,
          duplicate: 1,
          conflict: 1,
          rejected: 3,
          rejects: [
            {
              index: 4,
              ident: 'bus',
              reason: 'bad_number',
              message: 'speed must be a decimal number',
            },
            { index: 5, ident: 'stranger', reason: 'unknown_ident', message: 'stranger' },
            { index: 6, ident: null, reason: 'bad_row', message: 'a row must be a JSON object' },
          ],
        },
      })
      assert.equal(ingest.organizations.at(-1), 5)
      assert.equal(lines.length, 1)
      assert.match(
        lines[0]!,
        /"organization":5,"token":9,.*"rejected":\{"bad_number":1,"unknown_ident":1,"bad_row":1\}/,
      )
    })

    it('for NDJSON, gzip, and no rows', async () => {
      const ndjson = gzipSync(`${JSON.stringify(row(10))}\n${JSON.stringify(row(11))}\n`)
      const response = await post('/feed/v1/positions', ndjson, { 'content-encoding': 'gzip' })
      assert.equal(((await response.json()) as { result: { stored: number } }).result.stored, 2)
      const empty = await post('/feed/v1/positions', '[]')
      assert.deepEqual(await empty.json(), {
        statusCode: 200,
        result: { stored: 0, duplicate: 0, conflict: 0, rejected: 0, rejects: [] },
      })
    })
  })

  describe('answers each client', () => {
    const clients: [fixture: string, path: string, body: string][] = [
      ['osmand-android-recorded', 'osmand', ''],
      ['osmand-android-post', 'osmand', ''],
      ['osmand-json-template', 'osmand', ''],
      ['traccar-teltonika', 'traccar', ''],
      ['owntracks-android', 'owntracks', '[]'],
      ['owntracks-ios', 'owntracks', '[]'],
      ['owntracks-lwt', 'owntracks', '[]'],
    ]
    for (const [fixture, path, body] of clients) {
      it(`by its recorded bytes: ${fixture}`, async () => {
        const answer = await sendFixture(fixture, `/feed/v1/${TOKEN}/${path}`)
        assert.equal(answer?.status, 200)
        assert.equal(answer?.body, body)
        const again = await sendFixture(fixture, `/feed/v1/${TOKEN}/${path}/`)
        assert.equal(again?.status, 200)
      })
    }

    it('with 200 if the fix is rejected for its quality only', async () => {
      const answer = await sendFixture('traccar-meitrack-invalid', `/feed/v1/${TOKEN}/traccar`)
      assert.equal(answer?.status, 200)
    })

    it('with 400 and the reason if the fix can never be accepted', async () => {
      const answer = await sendFixture('osmand-tracker-cells', `/feed/v1/${TOKEN}/osmand`)
      assert.equal(answer?.status, 400)
      assert.match(answer?.body ?? '', /missing_field: lat is missing/)
      const stranger = await get('/feed/v1/osmand?id=stranger&lat=1&lon=2')
      await assertRefused(stranger, 400, 'FEED.400_002', /^unknown_ident: stranger$/)
    })

    it('with 200 if one of several fixes is accepted', async () => {
      const good = { timestamp: 1_700_000_100, coords: { latitude: 1, longitude: 2 } }
      const send = (location: object[]) =>
        post('/feed/v1/osmand', JSON.stringify({ device_id: 'phone', location }))
      assert.equal((await send([{}, good])).status, 200)
      assert.equal((await send([{}, {}])).status, 400)
    })
  })

  describe('authenticates a token', () => {
    const path = '/feed/v1/osmand?id=bus&lat=1&lon=2&timestamp=1700000000'
    const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

    it('in any of its places', async () => {
      for (const headers of [
        { 'X-Feed-Token': TOKEN },
        { authorization: `Bearer ${TOKEN}` },
        { authorization: `bearer  ${TOKEN}` },
        { authorization: basic(`jane:${TOKEN}`) },
        { 'x-feed-token': TOKEN, authorization: basic('proxy:secret') },
      ] as Record<string, string>[]) {
        assert.equal((await get(path, headers)).status, 200, JSON.stringify(headers))
      }
      assert.equal((await get(path.replace('v1/', `v1/${TOKEN}/`), {})).status, 200)
    })

    it('and refuses others with a challenge, without reading the body', async () => {
      for (const headers of [
        {},
        { 'x-feed-token': 'wrong' },
        { 'x-feed-token': 'wrong', authorization: `Bearer ${TOKEN}` },
        { authorization: `Digest ${TOKEN}` },
        { authorization: basic(TOKEN) },
        { authorization: basic(`${TOKEN}:`) },
      ] as Record<string, string>[]) {
        const response = await get(path, headers)
        await assertRefused(response, 401, 'FEED.401_001', /feed token/)
        assert.match(response.headers.get('www-authenticate') ?? '', /Bearer.*Basic/)
      }
      assert.equal((await get(path.replace('v1/', 'v1/wrong/'))).status, 401)
      const twice = `x-feed-token: ${TOKEN}\r\n`.repeat(2)
      const answer = await raw(`GET ${path} HTTP/1.1\r\nhost: x\r\n${twice}\r\n`)
      assert.equal(answer?.status, 401)
    })

    it('and keeps it out of the log', async () => {
      const secret = 'fg_feed_secret'
      await (await get(`/feed/v1/${secret}/osmand?id=1`)).text()
      await (await get(`/feed/v1/${secret}/nothing?id=1`)).text()
      await (await get(path, { authorization: `Bearer ${secret}` })).text()
      await (await get(`/feed/v1/${TOKEN}/osmand?id=1`)).text()
      await raw(`FETCH /feed/v1/${secret}/osmand HTTP/1.1\r\n\r\n`)
      assert.equal(lines.length, 4)
      assert.doesNotMatch(
        lines.join() + (await registry.metrics()),
        new RegExp(`${secret}|${TOKEN}`),
      )
      const last = JSON.parse(`{${lines[3]}}`)
      assert.deepEqual(
        { ...last, ms: 0 },
        {
          organization: 5,
          token: 9,
          method: 'GET',
          feed: 'osmand',
          status: 400,
          code: 'FEED.400_002',
          reason: 'missing_field: lat is missing',
          ms: 0,
          address: 'test 3',
          request_id: last.request_id,
          msg: 'feed request',
        },
      )
    })
  })

  describe('refuses', () => {
    it('an unknown path and a wrong method', async () => {
      for (const path of ['/', '/feed/v1', '/feed/v1/', '/feed/v1/x', '/feed/v1/a/b/osmand']) {
        await assertRefused(await get(path), 404, 'FEED.404_001', /path/)
      }
      const method = await get('/feed/v1/positions')
      await assertRefused(method, 405, 'FEED.405_001', /POST/)
      assert.equal(method.headers.get('allow'), 'POST')
      const put = await fetch(`${url}/feed/v1/osmand`, { method: 'PUT', body: 'x' })
      await assertRefused(put, 405, 'FEED.405_001', /GET, POST/)
      assert.equal(put.headers.get('allow'), 'GET, POST')
    })

    it('a body that cannot be decoded, with the reason', async () => {
      const path = '/feed/v1/positions'
      await assertRefused(await post(path, '[{]'), 400, 'FEED.400_001', /^The body must be JSON: /)
      await assertRefused(await post(path), 400, 'FEED.400_001', /empty/)
      const whole = gzipSync(JSON.stringify([row(1)]))
      const gzip = { 'content-encoding': 'gzip' }
      await assertRefused(
        await post(path, whole.subarray(0, 40), gzip),
        400,
        'FEED.400_003',
        /gzip/,
      )
      await assertRefused(await post(path, '[]', gzip), 400, 'FEED.400_003', /gzip/)
      const coded = await post(path, '[]', { 'content-encoding': 'br' })
      await assertRefused(coded, 415, 'FEED.415_001', /br is not understood/)
      assert.equal(coded.headers.get('accept-encoding'), 'gzip, identity')
    })

    it('too many rows and too many bytes, packed or unpacked', async () => {
      const path = '/feed/v1/positions'
      const rows = JSON.stringify(new Array(MAX_ROWS + 1).fill(0))
      await assertRefused(await post(path, rows), 413, 'FEED.413_002', /10000 rows/)
      const large = Buffer.alloc(MAX_BODY_BYTES + 1, 32)
      await assertRefused(await post(path, large), 413, 'FEED.413_001', /8388608 bytes/)
      const bomb = gzipSync(large)
      assert.ok(bomb.length < 10_000)
      const gzip = { 'content-encoding': 'gzip' }
      await assertRefused(await post(path, bomb, gzip), 413, 'FEED.413_001', /unpacked/)
      const fits = Buffer.alloc(MAX_BODY_BYTES, '\n')
      fits.write('{}')
      assert.equal((await post(path, fits)).status, 200)
      const chunked = new Response(new Blob([large])).body
      const streamed = await fetch(url + path, {
        method: 'POST',
        headers: { 'x-feed-token': TOKEN },
        body: chunked,
        duplex: 'half',
      } as RequestInit)
      await assertRefused(streamed, 413, 'FEED.413_001', /8388608 bytes/)
    })

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
      const path = '/feed/v1/positions'
      const holding = Array.from({ length: MAX_HELD_BY_ONE / MAX_BODY_BYTES }, () =>
        post(path, large, { connection: 'close' }),
      )
      const gzip = { 'content-encoding': 'gzip' }
      const packed = gzipSync(large)
      while (ingest.organizations.length < before + holding.length) await new Promise(setImmediate)
      const full = await post(path, packed, gzip)
      await assertRefused(full, 503, 'FEED.503_001', /queue is full/)
      assert.equal(full.headers.get('retry-after'), '1')
      stored.resolve()
      for (const answer of await Promise.all(holding)) assert.equal(answer.status, 200)
      assert.equal((await post(path, packed, gzip)).status, 200)
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
        // A piece of 64 KiB every 50 ms, after the first quarter of a megabyte.
        const pieces = Math.floor((REFUSED.length - 256 * 1024) / (64 * 1024)) - 1
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

  it('counts requests by format and status, and rows by outcome', async () => {
    const metrics = new Registry()
    const other = await open(metrics)
    const to = `http://127.0.0.1:${other.address.port}/feed/v1/`
    const headers = { 'x-feed-token': TOKEN }
    const body = JSON.stringify([row(50), row(50), row(51, { latitude: null })])
    await (await fetch(`${to}positions`, { method: 'POST', headers, body })).text()
    await (await fetch(`${to}osmand?id=stranger&lat=1&lon=1`, { headers })).text()
    await (await fetch(`${to}unheard`, { headers })).text()
    const text = await metrics.metrics()
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
    await other.drain()
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

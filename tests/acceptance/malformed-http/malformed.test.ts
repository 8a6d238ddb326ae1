import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { exchange } from '../harness/raw-socket.ts'

const fleet = await startFleet({ full: 0, plain: 1 })
const { key } = fleet.take()

const HOST = 'Host: localhost\r\n'
const get = (target: string, headers = HOST, version = 'HTTP/1.1') =>
  `GET ${target} ${version}\r\n${headers}\r\n`
const OBJECTS = '/public/v1/objects'
const KEY = `X-Api-Key: ${key}\r\n`

const CHUNKED = `POST ${OBJECTS} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`

/** Bytes, and the allowed statuses for them. */
const MALFORMED: [name: string, bytes: string, ...statuses: number[]][] = [
  ['oversized headers', get(OBJECTS, `${HOST}X-Padding: ${'x'.repeat(100_000)}\r\n`), 431],
  ['very many headers', get(OBJECTS, HOST + 'X-A: b\r\n'.repeat(20_000)), 431],
  ['a very long URL', get(`${OBJECTS}?${'x'.repeat(100_000)}`), 414, 431],
  ['missing Host', get(OBJECTS, KEY), 400],
  ['duplicate Host', get(OBJECTS, `${HOST}Host: other\r\n${KEY}`), 400],
  ['an invalid Host', get(OBJECTS, 'Host: a b/c\r\nConnection: close\r\n'), 400],
  [
    'duplicate Content-Length',
    get(OBJECTS, `${HOST}Content-Length: 0\r\nContent-Length: 5\r\n`),
    400,
  ],
  ['a negative Content-Length', get(OBJECTS, `${HOST}Content-Length: -1\r\n`), 400],
  ['a Content-Length of letters', get(OBJECTS, `${HOST}Content-Length: abc\r\n`), 400],
  ['a Content-Length with a sign', get(OBJECTS, `${HOST}Content-Length: +5\r\n`), 400],
  [
    'Content-Length and Transfer-Encoding',
    `POST ${OBJECTS} HTTP/1.1\r\n${HOST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
    400,
  ],
  [
    'an obfuscated Transfer-Encoding',
    `POST ${OBJECTS} HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ...[400, 501],
  ],
  [
    'two Transfer-Encodings',
    `POST ${OBJECTS} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['a bare CR in a header', get(OBJECTS, `${HOST}X-A: b\rX-B: c\r\n`), 400],
  ['a bare CR in the request line', `GET ${OBJECTS}\rHTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a folded header', get(OBJECTS, `${HOST}X-A: b\r\n c\r\nConnection: close\r\n`), 400, 401],
  ['a space before the colon', get(OBJECTS, `${HOST}X-Api-Key : ${key}\r\n`), 400],
  ['a header without a name', get(OBJECTS, `${HOST}: b\r\n`), 400],
  ['a header without a colon', get(OBJECTS, `${HOST}nonsense\r\n`), 400],
  ['a NUL in a header', get(OBJECTS, `${HOST}X-A: b\0c\r\n`), 400],
  ['a NUL in the URL', get(`${OBJECTS}\0`), 400],
  ['a space in the URL', get(`${OBJECTS} x`), 400],
  ['control characters in the URL', get(`${OBJECTS}\x01\x7f`), 400],
  ['HTTP/0.9', `GET ${OBJECTS}\r\n`, 400, 408],
  ['HTTP/0.9, ended twice', `GET ${OBJECTS}\r\n\r\n`, 400],
  ['HTTP/2.0 in the clear', get(OBJECTS, HOST, 'HTTP/2.0'), 400, 505],
  ['HTTP/1.2', get(OBJECTS, HOST, 'HTTP/1.2'), 400, 401, 505],
  ['HTTP/0.9 with a version', get(OBJECTS, HOST, 'HTTP/0.9'), 400, 505],
  ['HTTP/3.7', get(OBJECTS, HOST, 'HTTP/3.7'), 400, 505],
  ['HTTP/99999.1', get(OBJECTS, HOST, 'HTTP/99999.1'), 400, 505],
  ['no version of HTTP', get(OBJECTS, HOST, 'XTTP/1.1'), 400],
  ['an invalid method', `G\x00T ${OBJECTS} HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown method', `BREW ${OBJECTS} HTTP/1.1\r\n${HOST}\r\n`, 400, 405],
  ['CONNECT', `CONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`, 400, 405],
  ['lines that end in LF alone', `GET ${OBJECTS} HTTP/1.1\nHost: localhost\n\n`, 400],
  [
    'a chunk extension without end',
    `${CHUNKED}5;${'x'.repeat(20_000)}\r\nhello\r\n`,
    400,
    405,
    413,
  ],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on\r\n\r\n', 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 505],
  ['nothing but noise', `${'\xff\xfe\x00'.repeat(50)}\r\n\r\n`, 400],
]

describe('Malformed HTTP', () => {
  for (const [name, bytes, ...statuses] of MALFORMED) {
    it(name, async () => {
      const answer = await exchange(fleet.server.port, bytes)
      assert.ok(statuses.includes(answer.status), `${answer.status}: ${answer.text.slice(0, 300)}`)
      const code = answer.json.errorCode
      assertRefused(answer, answer.status, code)
      assert.equal(code, 'ERR999')
      assert.match(answer.headers['content-type']!, /^application\/json/)
      assert.equal(answer.headers.connection?.toLowerCase(), 'close')
      const length = Number(answer.headers['content-length'])
      assert.equal(length, Buffer.byteLength(answer.body, 'latin1'), 'exactly one answer')
    })
  }

  it('leaves other clients served', async () => {
    const answer = await request(fleet.server.api, '/public/v1/ping')
    assert.equal(answer.status, 200)
  })
})

describe('Well-formed HTTP with a bad address', () => {
  const headers = `${HOST}${KEY}Connection: close\r\n`
  const targets: [target: string, ...statuses: number[]][] = [
    ['/public/v1/objects/%', 400],
    ['/public/v1/objects/%zz', 400],
    ['/public/v1/objects/%ff', 400],
    ['/public/v1/objects/%c0%ae', 400],
    ['/public/v1/positions/latest?ids=%', 400],
    ['/public/v1/positions/latest?ids=%ff', 400],
    ['/public/v1/%', 400, 404],
    ['*', 400, 404],
    ['http://elsewhere/nothing', 400, 404],
    ['//elsewhere/public/v1/objects', 404],
  ]
  for (const [target, ...statuses] of targets) {
    it(target, async () => {
      const answer = await exchange(fleet.server.port, get(target, headers))
      assert.ok(statuses.includes(answer.status), `${answer.status}: ${answer.text.slice(0, 300)}`)
      assertRefused(answer, answer.status, answer.json.errorCode)
    })
  }
})

describe('Unusual HTTP that is well-formed', () => {
  const PING = '/public/v1/ping'

  it('is answered in order when sent in one segment', async () => {
    const bytes = get(PING) + get(OBJECTS) + get(PING, `${HOST}Connection: close\r\n`)
    const { text } = await exchange(fleet.server.port, bytes)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '401', '200'])
  })

  it('remains HTTP/1.1 despite an Upgrade header', async () => {
    for (const protocol of ['websocket', 'h2c']) {
      const upgrade = `Upgrade: ${protocol}\r\nConnection: upgrade, close\r\n`
      const answer = await exchange(fleet.server.port, get(PING, HOST + upgrade))
      assert.deepEqual(resultOf(answer), { status: 'ok' })
    }
  })

  it('includes HTTP/1.0, which needs no Host', async () => {
    const answer = await exchange(fleet.server.port, get(PING, '', 'HTTP/1.0'))
    assert.deepEqual(resultOf(answer), { status: 'ok' })
  })

  it('may have an absolute request target, or an unexpected body', async () => {
    const close = `${HOST}Connection: close\r\n`
    const whole = await exchange(fleet.server.port, get(`http://localhost${PING}`, close))
    assert.deepEqual(resultOf(whole), { status: 'ok' })
    const body = `${get(PING, `${close}Content-Length: 5\r\n`)}hello`
    assert.deepEqual(resultOf(await exchange(fleet.server.port, body)), { status: 'ok' })
  })
})

describe('A connection that requests a tunnel', () => {
  const tunnel = `CONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`
  const portOf = (url: string) => Number(new URL(url).port)
  const listeners = [
    ['the API', () => fleet.server.port],
    ['the feed', () => portOf(fleet.server.feed)],
    ['the operator’s', () => portOf(fleet.server.admin)],
  ] as const

  for (const [name, port] of listeners) {
    for (const [when, before] of [
      ['once it is answered', ''],
      ['while answers are on their way', get('/openapi.json').repeat(30)],
    ] as const) {
      it(`affects no other client when reset ${when}: ${name}`, async () => {
        for (let i = 0; i < 3; i += 1) {
          const socket = connect(port(), '127.0.0.1').on('error', () => {})
          socket.write(before + tunnel)
          await Promise.race([once(socket, 'data'), once(socket, 'close')])
          socket.resetAndDestroy()
        }
        const answer = await request(fleet.server.api, '/public/v1/ping')
        assert.equal(answer.status, 200)
      })
    }
  }
})

describe('More than 32 pipelined requests', () => {
  for (const version of ['HTTP/1.1', 'HTTP/2.0', 'HTTP/0.9']) {
    it(`close the connection in every version: ${version}`, async () => {
      const one = get('/public/v1/ping', `${HOST}Connection: keep-alive\r\n`, version)
      const socket = connect(fleet.server.port, '127.0.0.1').on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.resume().write(one.repeat(900))
      await closed
    })
  }
})

describe('A request hidden in the body of another', () => {
  it('is never answered as a request', async () => {
    const inner = get('/public/v1/ping')
    const outer = `GET /public/v1/ping HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: ${inner.length}\r\n\r\n`
    const answer = await exchange(fleet.server.port, outer + inner)
    assert.equal(answer.text.match(/HTTP\/1\.1 /g)!.length, 1)
  })

  it('is not reached after a broken chunked body', async () => {
    const bytes = `POST ${OBJECTS} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`
    const answer = await exchange(fleet.server.port, bytes + get('/public/v1/ping'))
    assert.ok([400, 405].includes(answer.status), answer.text)
    assert.doesNotMatch(answer.text, /"status":"ok"/)
  })
})

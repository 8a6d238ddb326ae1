import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { type SecureVersion, connect as tlsConnect } from 'node:tls'
import { certificate, hasOpenssl } from '../harness/certificate.ts'
import { type Answer, type RequestOptions, request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { PREFIX } from '../harness/organization.ts'
import { exchange } from '../harness/raw-socket.ts'
import { FEED_PREFIX, senderOf } from '../harness/sender.ts'
import { serveHere } from '../harness/server-here.ts'

const fleet = await startFleet({ full: 0, plain: 2 })
const { api, admin, feed } = fleet.server
const sender = await senderOf(fleet, fleet.take())
const { van, longHaul } = sender.objects

const KEY = { 'x-api-key': sender.key }
const PACKET = `/osmand?id=nobody&lat=1&lon=1`

/** An answer of each kind, from all three listeners. */
async function answersOfAll(): Promise<Map<string, Answer>> {
  const { etag } = (await sender.get('/objects')).headers
  const asked: [name: string, origin: string, target: string, options?: RequestOptions][] = [
    ['a list', api, `${PREFIX}/objects`, { headers: KEY }],
    ['304', api, `${PREFIX}/objects`, { headers: { ...KEY, 'if-none-match': String(etag) } }],
    ['a stream', api, `${PREFIX}/objects/${longHaul}/positions?${WHOLE_RANGE}`, { headers: KEY }],
    ['400', api, `${PREFIX}/objects/x`, { headers: KEY }],
    ['401', api, `${PREFIX}/objects`],
    ['404', api, `${PREFIX}/objects/999999999`, { headers: KEY }],
    ['405', api, `${PREFIX}/objects`, { method: 'DELETE' }],
    ['no path', api, '/'],
    ['ping', api, `${PREFIX}/ping`],
    ['openapi', api, '/openapi.json'],
    ['docs', api, '/docs'],
    ['feed 400', feed, FEED_PREFIX + PACKET, { headers: { 'x-feed-token': sender.feedToken } }],
    ['feed 401', feed, FEED_PREFIX + PACKET],
    ['feed 404', feed, '/'],
    ['metrics', admin, '/metrics'],
    ['ready', admin, '/ready'],
    ['admin 404', admin, '/x'],
  ]
  const answers = new Map<string, Answer>()
  for (const [name, origin, target, options] of asked) {
    answers.set(name, await request(origin, target, options))
  }
  const post = { method: 'POST', body: `[{"ident":"x"}]` }
  answers.set('feed 200', await sender.send('/positions', post))
  return answers
}

describe('Every answer of every listener', async () => {
  const answers = [...(await answersOfAll())]

  it('forbids content sniffing, and has a correct type', () => {
    for (const [name, { headers, bytes, text }] of answers) {
      assert.equal(headers['x-content-type-options'], 'nosniff', name)
      if (bytes.length === 0) continue
      assert.match(String(headers['content-type']), /; charset=utf-8/, name)
      if (String(headers['content-type']).startsWith('application/json')) JSON.parse(text)
    }
  })

  it('allows only the caller to cache it, and nobody to cache a refusal', () => {
    for (const [name, { headers, status }] of answers) {
      const control = String(headers['cache-control'])
      assert.doesNotMatch(control, /public|undefined/, name)
      if (status >= 400) assert.equal(control, 'no-store', name)
      if (['a list', 'a stream', '304'].includes(name)) assert.equal(control, 'private, no-cache')
    }
  })

  it('reveals no software, sets no cookie and allows no other origin', () => {
    const telling = /^(server|via|x-powered-by|x-aspnet|set-cookie|access-control-)/i
    for (const [name, { rawHeaders, text }] of answers) {
      assert.deepEqual(
        rawHeaders.filter((each) => telling.test(each)),
        [],
        name,
      )
      if (name === 'metrics') continue
      assert.doesNotMatch(text, /node_modules|\.ts:\d+|SQLITE|ECONN|at async/, name)
    }
  })

  it('has its declared length', () => {
    for (const [name, { headers, bytes, status }] of answers) {
      if (headers['content-length'] === undefined || status === 304) continue
      assert.equal(Number(headers['content-length']), bytes.length, name)
      assert.equal(headers['transfer-encoding'], undefined, name)
    }
  })
})

describe('The public listener', () => {
  it('serves no file, folder or debugger, on any path', async () => {
    const paths = [
      ...['/docs/../../package.json', '/docs/..%2f..%2fpackage.json', '/docs/%2e%2e/package.json'],
      ...[
        '/docs/..\\..\\package.json',
        '/docs//etc/passwd',
        '/docs/start',
        '/docs/.',
        '/docs/?/..',
      ],
      ...['/.git/config', '/.env', '/package.json', '/node_modules/', '/json/list', '/debug/pprof'],
      ...[
        '/openapi.json/..',
        '/openapi.json.bak',
        '/data/fleetgate.db',
        '/graphql',
        '/swagger.json',
      ],
    ]
    for (const path of paths) {
      const { status, text } = await request(api, path)
      assert.doesNotMatch(text, /"dependencies"|root:|\[core\]/, path)
      assert.ok(path === '/docs/?/..' || [400, 404].includes(status), `${status} ${path}`)
    }
  })

  it('gives the reference page no script, and the page for trials its own alone', async () => {
    const reference = await request(api, '/docs')
    const strict = String(reference.headers['content-security-policy'])
    assert.match(strict, /^default-src 'none'; style-src 'sha256-[^']+'; img-src [^;]+; base-uri/)
    const { headers } = await request(api, '/docs/try')
    const policy = String(headers['content-security-policy'])
    for (const rule of [
      "default-src 'none'",
      "script-src 'self';",
      "connect-src 'self'",
      "base-uri 'none'",
    ]) {
      assert.ok(policy.includes(rule), rule)
    }
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*(unsafe|\*|http)/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  })

  it('ignores headers that would change method, path, host or caller', async () => {
    const believed = {
      ...{ 'x-http-method-override': 'DELETE', 'x-original-url': '/admin', 'x-rewrite-url': '/x' },
      ...{ 'x-forwarded-host': 'elsewhere', 'x-user-id': '1', 'x-organization-id': '2' },
      ...{
        'x-forwarded-for': '203.0.113.7',
        forwarded: 'for=203.0.113.7',
        'x-real-ip': '203.0.113.7',
      },
    }
    const path = `${PREFIX}/objects/${longHaul}/positions?${WHOLE_RANGE}&limit=1`
    const answer = await request(api, path, { headers: { ...KEY, ...believed } })
    assert.equal(resultOf(answer)[0].id, longHaul)
    assert.match(String(answer.headers.link), /^<\/public\/v1\//)
    assertRefused(await request(api, `${PREFIX}/objects`, { headers: believed }), 401, 'ERR999')
  })

  it('answers no JSONP and no other format', async () => {
    const refused = await sender.get(`/objects/${van}?format=xml`)
    assert.equal(refused.status, 406)
    assert.match(String(refused.headers['content-type']), /^application\/json/)
    for (const query of ['callback=alert', 'jsonp=alert']) {
      const answer = await sender.get(`/objects/${van}?${query}`)
      assert.match(String(answer.headers['content-type']), /^application\/json/)
      resultOf(answer)
    }
  })

  it('redirects no request', async () => {
    for (const path of [
      '/public/v1',
      '/docs/',
      '//elsewhere',
      '/public/v1/objects/',
      '/\\elsewhere',
    ]) {
      const { status, headers } = await request(api, path)
      assert.ok(status < 300 || status >= 400, path)
      assert.equal(headers.location, undefined)
    }
  })
})

describe('The other listeners', () => {
  it('accept their own methods only, and never TRACE', async () => {
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      assert.equal((await request(admin, '/metrics', { method })).status, 405)
      const sent = await sender.send('/positions', { method })
      assertRefused(sent, 405, 'FEED.405_001')
    }
    assert.equal((await request(admin, '/metrics', { method: 'POST' })).status, 405)
  })

  it('cannot be reached through the public one, and report only figures to an operator', async () => {
    for (const path of ['/metrics', '/ready', `${FEED_PREFIX}/positions`]) {
      assertRefused(await request(api, path, { headers: KEY }), 404, 'ERR999')
    }
    const { text } = await request(admin, '/metrics')
    assert.doesNotMatch(text, /fg_(live|feed)_|Organization/)
    assert.equal((await request(admin, `${PREFIX}/objects`, { headers: KEY })).status, 404)
    assert.match(admin, /^http:\/\/127\.0\.0\.1:/)
  })
})

describe('TLS', {
  skip: hasOpenssl ? false : 'openssl is not installed',
  concurrency: true,
}, async () => {
  if (!hasOpenssl) return
  const server = await serveHere(await newDeployment(), certificate('rsa').args)
  after(() => server.stop())
  const ports = { api: server.port, feed: Number(new URL(server.feed).port) }
  const host = '127.0.0.1'

  /** The cipher that a client with these versions and ciphers gets, or an error. */
  function shake(port: number, version: SecureVersion, ciphers: string): Promise<string> {
    const versions = { minVersion: version, maxVersion: version }
    const options = { host, port, ...versions, ciphers, rejectUnauthorized: false }
    return new Promise((resolve) => {
      const socket = tlsConnect(options, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    })
  }

  // An RSA key would allow a key exchange without forward secrecy.
  it('is 1.2 or 1.3, with ciphers that have forward secrecy', async () => {
    const ANY = 'ALL:@SECLEVEL=0'
    for (const port of Object.values(ports)) {
      assert.match(await shake(port, 'TLSv1', ANY), /^ERR_SSL/)
      assert.match(await shake(port, 'TLSv1.1', ANY), /^ERR_SSL/)
      assert.match(await shake(port, 'TLSv1.2', ANY), /^TLSv1\.2 ECDHE-.*(GCM|CHACHA20)/)
      assert.match(await shake(port, 'TLSv1.3', ANY), /^TLSv1\.3 TLS_/)
      for (const weak of ['AES128-SHA', 'AES256-GCM-SHA384', 'NULL', 'PSK', 'aNULL']) {
        assert.match(await shake(port, 'TLSv1.2', `${weak}:@SECLEVEL=0`), /^(ERR_SSL|EPROTO)/, weak)
      }
    }
  })

  it('has a handshake timeout as short as that of headers', async () => {
    await Promise.all(
      Object.values(ports).map(async (port) => {
        const socket = connect(port, host)
        const openedAt = performance.now()
        await new Promise((resolve) =>
          socket
            .on('error', () => {})
            .on('close', resolve)
            .resume(),
        )
        const tookMs = performance.now() - openedAt
        assert.ok(tookMs > 4_500 && tookMs < 12_000, `${tookMs} ms`)
      }),
    )
  })

  it('is not left for plain HTTP by a redirect', async () => {
    for (const port of Object.values(ports)) {
      const bytes = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n'
      assert.doesNotMatch((await exchange(port, bytes)).text, /"ok"|location/i)
    }
  })
})

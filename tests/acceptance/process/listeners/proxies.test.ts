/**
 * The configurations of proxies in `deploy` in front of a server, each with its program where that is installed.
 * `PROXIES=whole` also leaves an answer unread for 70 seconds.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import { buffer, json, text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { ADMIN } from '../../harness/admin.ts'
import { hasOpenssl } from '../../harness/certificate.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { type Fleet, startFleetProcess } from '../../harness/fleet.ts'
import { IDENTS, WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { PREFIX } from '../../harness/organization.ts'
import {
  PROXY_PROGRAMS,
  type ProxyProgram,
  type ReverseProxy,
  startProxy,
  versionOf,
} from '../../harness/proxy.ts'
import { FEED_PREFIX } from '../../harness/sender.ts'

const API = 'fleet.example.com'
const FEED = 'feed.example.com'
const CONSOLE = 'console.example.com'
const ARGS = ['--trust-proxy', '127.0.0.1', '--console-url', `https://${CONSOLE}`]
/** Enough that no buffer on the way holds a history. */
const ROWS = 120_000
/** Longer than nginx waits by default for a client that takes nothing. */
const UNREAD_MS = 70_000
/** A client of each: attempts from one network count together. */
const ADDRESSES = { nginx: '127.0.7.1', haproxy: '127.0.8.1', caddy: '127.0.9.1' }
const isWhole = process.env.PROXIES === 'whole'

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
}

type Asked = {
  method?: string
  headers?: IncomingHttpHeaders
  body?: string
  localAddress?: string
}

/** Asks one of the three names through a proxy, on a connection of its own. */
function ask(
  proxy: ReverseProxy,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body, localAddress = '127.0.0.1' }: Asked = {},
): Promise<IncomingMessage> {
  const to = { host: '127.0.0.1', port: proxy.port, servername: host, path, method, localAddress }
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false })
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({ ...to, agent, headers: { ...headers, host } }, resolve)
    sent.on('error', reject).end(body)
  })
}

/** Caddy before 2.7.6 ends an answer in order whose server has gone. */
function hidesCuts(program: ProxyProgram): boolean {
  const [, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(versionOf('caddy') ?? '') ?? []
  const version = Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch)
  return program === 'caddy' && version < 2_007_006
}

const isInstalled = (program: ProxyProgram) => versionOf(program) !== undefined
const skip = hasOpenssl ? embeddedOnly.skip : 'openssl is not installed'
const programs = skip ? [] : PROXY_PROGRAMS.filter(isInstalled)

for (const program of PROXY_PROGRAMS.filter((each) => !isInstalled(each))) {
  it(`The configuration in deploy of ${program}`, {
    skip: `${program} is not installed`,
  }, () => {})
}

describe('The configuration in deploy of', { skip }, async () => {
  if (programs.length === 0) return
  const fleet = await startFleetProcess({ full: 1, plain: 6 }, ARGS)
  const [owner] = fleet.full
  await importSeconds(fleet, owner!, ROWS)
  const proxies = new Map<ProxyProgram, ReverseProxy>()
  for (const program of programs) {
    const proxy = await startProxy(program, fleet.server)
    after(() => proxy.stop())
    proxies.set(program, proxy)
    describe(program, () => testProxy(program, proxy, fleet))
  }
  const path = `${PREFIX}/objects/${owner!.objects.silent}/positions?${SECONDS_RANGE}`

  /** A history that no buffer holds, of which the client has read the beginning. */
  async function begin(proxy: ReverseProxy): Promise<IncomingMessage> {
    const headers = { 'x-api-key': owner!.key, 'accept-encoding': 'identity' }
    const answer = await ask(proxy, API, path, { headers })
    await once(answer, 'readable')
    return answer
  }

  it('each leaves an answer open that its client does not read for 70 seconds', {
    skip: isWhole ? false : 'only with PROXIES=whole',
  }, async () => {
    const answers = await Promise.all(Array.from(proxies.values(), begin))
    await pause(UNREAD_MS)
    for (const answer of answers) {
      const { result } = (await json(answer)) as { result: unknown[] }
      assert.equal(result.length, ROWS)
    }
  })

  it('each abort a history if its server dies midway, except Caddy before 2.7.6', async () => {
    const answers = await Promise.all(Array.from(proxies.values(), begin))
    await fleet.server.kill()
    const received = await Promise.allSettled(answers.map((answer) => text(answer)))
    for (const [index, program] of programs.entries()) {
      const { status, ...rest } = received[index]!
      assert.equal(status, hidesCuts(program) ? 'fulfilled' : 'rejected', program)
      assert.equal(answers[index]!.complete, hidesCuts(program), program)
      if ('value' in rest) assert.throws(() => JSON.parse(rest.value), SyntaxError)
    }
  })
})

/** The three listeners as a client sees them through a proxy. */
function testProxy(program: ProxyProgram, proxy: ReverseProxy, fleet: Fleet): void {
  const { id, key, feedToken, objects } = fleet.take()

  it('passes a history on in the coding that the client asks for', async () => {
    const { key, get, objects } = fleet.take()
    const target = `/objects/${objects.longHaul}/positions?${WHOLE_RANGE}`
    const direct = await get(target)
    for (const [coding, unpack] of Object.entries(UNPACK)) {
      const headers = { 'x-api-key': key, 'accept-encoding': coding }
      const answer = await ask(proxy, API, PREFIX + target, { headers })
      assert.equal(answer.headers['content-encoding'] ?? 'identity', coding)
      assert.equal(String(unpack(await buffer(answer))), direct.text, coding)
    }
    const plain = await ask(proxy, API, PREFIX + target, { headers: { 'x-api-key': key } })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(await text(plain), direct.text)
  })

  it('passes both key headers and entity tags on', async () => {
    const bearer = { authorization: `Bearer ${key}` }
    const first = await ask(proxy, API, `${PREFIX}/objects`, { headers: bearer })
    assert.equal(first.statusCode, 200, await text(first))
    const headers = { 'x-api-key': key, 'if-none-match': first.headers.etag }
    const second = await ask(proxy, API, `${PREFIX}/objects`, { headers })
    assert.equal(second.statusCode, 304)
    second.resume()
  })

  it('speaks HTTP/2 with clients, several requests at once', async () => {
    const to = { rejectUnauthorized: false, servername: API }
    const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, to)
    const paths = ['', `/${objects.van}`, `/${objects.longHaul}/positions?${WHOLE_RANGE}`]
    const answers = await Promise.all(
      paths.map(async (target) => {
        const head = { ':authority': API, ':path': `${PREFIX}/objects${target}` }
        const stream = session.request({ ...head, 'x-api-key': key })
        // A reader that comes after the response may find the stream closed.
        const [[headers], body] = await Promise.all([once(stream, 'response'), text(stream)])
        assert.equal(headers[':status'], 200)
        return JSON.parse(body).result
      }),
    )
    session.close()
    assert.equal(session.alpnProtocol, 'h2')
    assert.deepEqual([answers[0].length, answers[1].id, answers[2].length], [4, objects.van, 1200])
  })

  it('passes the real address of the client to the log, not a claimed one', async () => {
    const from = { localAddress: '127.0.0.9' }
    const claimed = { 'x-forwarded-for': '192.0.2.7' }
    const headers = { ...claimed, 'x-api-key': key }
    await text(await ask(proxy, API, `${PREFIX}/sites`, { ...from, headers }))
    await fleet.server.logged((line) => line.organization === id && line.address === '127.0.0.9')
  })

  it('keeps the token of a link out of its access log', {
    skip: program === 'caddy' && 'it has no access log',
  }, async () => {
    const token = 'fg_link_of_nobody'
    for (const path of [`/s/${token}`, `/s/${token}.json?way=false`]) {
      const answer = await ask(proxy, API, path)
      assert.equal(answer.statusCode, 404)
      answer.resume()
    }
    await text(await ask(proxy, API, '/docs'))
    while (!proxy.logged().includes(' /docs ')) await pause(10)
    assert.ok(!proxy.logged().includes(token))
  })

  it('has attempts at the password counted by that address, whichever the client claims', async () => {
    const localAddress = ADDRESSES[program]
    // The server need not hash a password that is longer than any.
    const body = JSON.stringify({ email: 'ada@example.com', password: 'x'.repeat(201) })
    let checked = 0
    const beganAt = performance.now()
    for (let i = 0; i < 30; i++) {
      const headers = { origin: `https://${CONSOLE}`, 'x-forwarded-for': `10.9.${i}.1` }
      const sent = { method: 'POST', headers, body, localAddress }
      const answer = await ask(proxy, CONSOLE, `${ADMIN}/session`, sent)
      if (answer.statusCode === 401) checked += 1
      else assert.equal(answer.statusCode, 429, await text(answer))
      answer.resume()
    }
    const seconds = (performance.now() - beganAt) / 1_000
    // Five, and one after each pause, which doubles from a second.
    const most = 5 + Math.ceil(Math.log2(seconds + 1))
    assert.ok(checked <= most, `${checked} attempts were checked in ${seconds} s`)
    await fleet.server.logged(({ attempt, address }) => attempt && address === localAddress)
    const lines = fleet.server.log.filter(({ attempt }) => attempt !== undefined)
    assert.ok(lines.every(({ address }) => Object.values(ADDRESSES).includes(address)))
  })

  it('accepts a large batch for the feed, and the map shows it at once', async () => {
    const names = ['token', 'issue', '--role', 'operator', '--name', program]
    const { token } = await fleet.json(...names)
    const headers = { authorization: `Bearer ${token}` }
    const live = await ask(proxy, CONSOLE, `${ADMIN}/organizations/${id}/live`, { headers })
    assert.equal(live.statusCode, 200)
    const beganAt = Date.now() - 10_000_000
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      ...{ ident: IDENTS.silent, time_device: beganAt + i * 1000, address: 'x'.repeat(100) },
      ...{ latitude: 41, longitude: 2.5 },
    }))
    const body = JSON.stringify(rows)
    assert.ok(body.length > 2 ** 20)
    const target = `${FEED_PREFIX}/positions`
    const sent = { method: 'POST', headers: { 'x-feed-token': feedToken }, body }
    const answer = await ask(proxy, FEED, target, sent)
    assert.equal(answer.statusCode, 200, await text(answer))
    const timer = setTimeout(() => live.destroy(new Error('the map received nothing')), 10_000)
    let seen = ''
    for await (const chunk of live) {
      seen += chunk
      if (seen.includes(`[${objects.silent},2.5,41`)) break
    }
    clearTimeout(timer)
  })

  it('keeps metrics, health and readiness to the machine', async () => {
    for (const name of ['metrics', 'health', 'ready']) {
      const answer = await ask(proxy, CONSOLE, `/${name}`)
      assert.equal(answer.statusCode, 404)
      assert.doesNotMatch(await text(answer), /fleetgate_/)
    }
  })
}

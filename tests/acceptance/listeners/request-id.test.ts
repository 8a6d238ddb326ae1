import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { exchange } from '../harness/raw-socket.ts'
import { serve } from '../harness/server.ts'

const fleet = await startFleet({ full: 0, plain: 1 })
const { key, feedToken } = fleet.take()
const { api, feed, admin } = fleet.server

const SENT = { 'x-request-id': 'chosen-by-the-client' }
const KEY = { 'x-api-key': key, ...SENT }
const TOKEN = { 'x-feed-token': feedToken, ...SENT }
const UNKNOWN_IDENT =
  '[{"ident":"nobody","time_device":"2026-01-01T00:00:00Z","latitude":1,"longitude":1}]'

/** A request of each kind, and the status of its answer. */
const ASKED = [
  [api, '/public/v1/objects', { headers: KEY }, 200],
  [api, '/public/v1/objects', { headers: { ...KEY, 'accept-encoding': 'gzip' } }, 200],
  [api, '/public/v1/objects/x', { headers: KEY }, 400],
  [api, '/public/v1/objects', { headers: SENT }, 401],
  [api, '/public/v1/nothing', {}, 404],
  [api, '/public/v1/ping', { method: 'HEAD' }, 200],
  [api, '/public/v1/ping', { method: 'POST', body: '{}' }, 405],
  [api, '/docs', {}, 200],
  [feed, '/feed/v1/positions', { method: 'POST', headers: SENT }, 401],
  [feed, '/feed/v1/positions', { method: 'POST', headers: TOKEN, body: '[' }, 400],
  [feed, '/feed/v1/positions', { method: 'POST', headers: TOKEN, body: UNKNOWN_IDENT }, 200],
  [feed, '/feed/v1/nothing', {}, 404],
  [feed, '/feed/v1/positions', { method: 'POST', headers: { expect: 'a miracle' } }, 417],
  [admin, '/health', { headers: SENT }, 200],
  [admin, '/metrics', {}, 200],
  [admin, '/health', { headers: { host: 'evil.example' } }, 403],
  [admin, '/health', { headers: { expect: 'a miracle' } }, 200],
  [admin, '/admin/v1/organizations', {}, 401],
  [admin, '/admin/v1/openapi.json', {}, 200],
] as const

const NO_HOST = 'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n'
const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'
const HUGE = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`
/** Input that no listener can read, and the status of its answer. */
const UNREADABLE = [
  ['nonsense\r\n\r\n', 400],
  [CONNECT, 400],
  [HUGE, 431],
  ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  [NO_HOST, 400],
] as const
const portOf = (listener: string) => Number(new URL(listener).port)
const ID = /^[0-9a-f]{24}$/

describe('X-Request-Id', () => {
  const ids: string[] = []
  const take = (id: unknown, of: string) => {
    assert.match(String(id), ID, of)
    ids.push(id as string)
  }

  it('is on every answer of every listener', async () => {
    for (const [listener, path, options, status] of ASKED) {
      const answer = await request(listener, path, options)
      const of = `${path} ${JSON.stringify(options)}`
      assert.equal(answer.status, status, of)
      take(answer.headers['x-request-id'], of)
    }
  })

  it('is on answers to input that never became a request', async () => {
    const slow = [api, feed, admin].map((listener) =>
      exchange(portOf(listener), 'GET / HTTP/1.1\r\n'),
    )
    for (const listener of [api, feed, admin]) {
      for (const [bytes, status] of UNREADABLE) {
        const answer = await exchange(portOf(listener), bytes)
        // The feed knows no such path, which it finds first.
        const expected = bytes === NO_HOST && listener === feed ? 404 : status
        assert.equal(answer.status, expected)
        take(answer.headers['x-request-id'], `${listener} ${bytes.slice(0, 60)}`)
      }
    }
    for (const answer of await Promise.all(slow)) {
      assert.equal(answer.status, 408)
      take(answer.headers['x-request-id'], 'a slow request')
    }
  })

  it('is new for each answer, and never the value that the client sent', () => {
    assert.equal(ids.length, ASKED.length + 3 * (UNREADABLE.length + 1))
    assert.equal(new Set(ids).size, ids.length)
  })

  it('is in the log entry of the request', async () => {
    await fleet.server.stop()
    const logged = fleet.server.log.filter((line) => 'request_id' in line)
    const [requests, refused] = [ids.slice(0, ASKED.length), ids.slice(ASKED.length)]
    assert.deepEqual(
      logged
        .filter(({ request_id }) => requests.includes(request_id))
        .map(({ msg, status, request_id }) => [msg, status, request_id]),
      [
        ...ASKED.slice(0, 8).map(([, , , status], at) => ['request', status, ids[at]]),
        ['feed request', 401, ids[8]],
        ['feed request', 400, ids[9]],
        ['feed rows rejected', undefined, ids[10]],
        ['feed request', 404, ids[11]],
        ['feed request', 417, ids[12]],
        ["operator's request", 401, ids[17]],
      ],
    )
    for (const id of refused) {
      const lines = logged.filter(({ request_id }) => request_id === id)
      assert.equal(lines.length, 1, id)
      const { status, address, msg, reason } = lines[0]
      assert.ok([400, 404, 408, 431].includes(status))
      assert.equal(address, '127.0.0.1')
      // The API and the feed read a request without a Host, and refuse it themselves.
      if (msg === 'unreadable request') assert.match(reason, /^[A-Z_]+$|^no Host$/)
      else assert.match(msg, /^(feed )?request$/)
    }
    assert.equal(JSON.stringify(fleet.server.log).includes(SENT['x-request-id']), false)
  })
})

describe('Beyond 100 malformed requests in a minute', () => {
  it('an answer has an id only if the log has it, and all are counted', async () => {
    const given: string[] = []
    const flooded = await serve(await newDeployment(), ['--geocoder', 'off'])
    after(() => flooded.kill())
    for (const listener of [flooded.api, flooded.feed, flooded.admin]) {
      const answers = []
      for (let count = 0; count < 70; count += 1) {
        answers.push(await exchange(portOf(listener), 'nonsense\r\n\r\n'))
      }
      for (const { status } of answers) assert.equal(status, 400)
      given.push(...answers.flatMap(({ headers }) => headers['x-request-id'] ?? []))
    }
    const metrics = await request(flooded.admin, '/metrics')
    for (const listener of ['public', 'feed', 'admin']) {
      const series = `fleetgate_unreadable_requests_total{listener="${listener}",status="400"} 70`
      assert.ok(metrics.text.includes(series), metrics.text)
    }
    await flooded.stop()
    const logged = flooded.log.filter(({ msg }) => msg === 'unreadable request')
    // 100, and the 200th.
    assert.equal(given.length, 101)
    assert.deepEqual(
      logged.map(({ request_id }) => request_id),
      given,
    )
  })
})

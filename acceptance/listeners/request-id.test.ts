import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import { exchange } from '../harness/raw-socket.ts'

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
    for (const listener of [api, feed, admin]) {
      const port = Number(new URL(listener).port)
      for (const bytes of ['nonsense\r\n\r\n', CONNECT, NO_HOST]) {
        take((await exchange(port, bytes)).headers['x-request-id'], `${port} ${bytes}`)
      }
    }
  })

  it('is new for each answer, and never the value that the client sent', () => {
    assert.equal(ids.length, ASKED.length + 9)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('is in the log entry of the request', async () => {
    await fleet.server.stop()
    const logged = fleet.server.log.filter((line) => 'request_id' in line)
    assert.deepEqual(
      logged.map(({ msg, status, request_id }) => [msg, status, request_id]),
      [
        ...ASKED.slice(0, 8).map(([, , , status], at) => ['request', status, ids[at]]),
        ['feed request', 401, ids[8]],
        ['feed request', 400, ids[9]],
        ['feed rows rejected', undefined, ids[10]],
        ['feed request', 404, ids[11]],
        ['request', 400, ids[ASKED.length + 2]],
        ['feed request', 404, ids[ASKED.length + 5]],
      ],
    )
    assert.equal(JSON.stringify(fleet.server.log).includes(SENT['x-request-id']), false)
  })
})

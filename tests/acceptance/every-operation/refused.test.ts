import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Every operation: 401', () => {
  const organization = fleet.take()
  const altered = organization.key.slice(0, -1) + (organization.key.endsWith('A') ? 'B' : 'A')
  const { key } = organization
  // The form and checksum of a key, but never issued.
  const stranger = 'fg_live_0000000000000000000000000000003Q0jlC'
  const missing = 'error="invalid_request", error_description="No API key was sent.'
  const repeated =
    'error="invalid_request", error_description="The API key was sent more than once.'
  const malformed = 'error="invalid_request", error_description="This cannot be an API key.'
  const invalid =
    'error="invalid_token", error_description="The API key is unknown, has expired or was revoked"'
  const wrong: [name: string, headers: Record<string, string | string[]>, why: string][] = [
    ['no key', {}, missing],
    ['an empty key', { 'x-api-key': '' }, malformed],
    ['a key that was altered', { 'x-api-key': altered }, malformed],
    ['a key of nobody', { 'x-api-key': stranger }, invalid],
    ['something else', { 'x-api-key': 'x'.repeat(4000) }, malformed],
    ['an empty Bearer', { authorization: 'Bearer ' }, malformed],
    ['a wrong Bearer', { authorization: `Bearer ${altered}` }, malformed],
    ['a Bearer of nobody', { authorization: `Bearer ${stranger}` }, invalid],
    ['a Basic authorization', { authorization: `Basic ${btoa(`x:${key}`)}` }, missing],
    ['both headers', { 'x-api-key': key, authorization: `Bearer ${key}` }, repeated],
    ['a header twice', { 'x-api-key': [key, key] }, repeated],
  ]
  for (const { name, path } of OPERATIONS) {
    it(name, async () => {
      for (const [what, headers, why] of wrong) {
        const answer = await request(fleet.server.api, PREFIX + path(organization), { headers })
        assertRefused(answer, 401, 'ERR999', 'Unauthorized')
        const challenge = String(answer.headers['www-authenticate'])
        assert.ok(challenge.startsWith(`Bearer ${why}`), `${what}: ${challenge}`)
        assert.equal(answer.headers['x-ratelimit-limit'], undefined, what)
      }
    })
  }
})

describe('Unknown path: 404', () => {
  const unknown = [
    ...[
      '/',
      '/public/v1',
      '/public/v2/objects',
      '/objects',
      '/public/v1/objects/',
      '/metrics',
      '/health',
      '/admin',
      '/favicon.ico',
      '/docs/../etc',
    ],
    ...['/public/v1/%6fbjects/%2e%2e/sites', '/docs/%2e%2e/%2e%2e/package.json', '/openapi'],
  ]
  for (const target of unknown) {
    it(target, async () => {
      assertRefused(await request(fleet.server.api, target), 404, 'ERR999')
    })
  }
})

describe('Every operation: 405', () => {
  const organization = fleet.take()
  const targets = OPERATIONS.map(({ path }) => PREFIX + path(organization))
  for (const target of [...targets, `${PREFIX}/ping`]) {
    it(target, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const answer = await request(fleet.server.api, target, { method })
        assertRefused(answer, 405, 'ERR999')
        const allowed = answer.headers.allow?.split(/, */).sort()
        assert.deepEqual(allowed, ['GET', 'HEAD'], method)
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
    })
  }

  it('reads the body of the request and answers the next request on the connection', async () => {
    const body = 'x'.repeat(100_000)
    const answer = await request(fleet.server.api, targets[0]!, { method: 'POST', body })
    assertRefused(answer, 405, 'ERR999')
    assert.equal((await organization.get('/objects')).status, 200)
  })
})

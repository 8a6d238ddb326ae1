import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const OPERATIONS = [
  ...['/objects', '/objects/{id}', '/objects/{id}/positions', '/positions/latest'],
  ...['/positions/at', '/positions'],
  ...['/changes', '/trips', '/stops', '/visits', '/days', '/coverage'],
  ...['/geofences', '/routes', '/routes/{id}/adherence', '/sites'],
  ...['/key', '/usage', '/ping'],
]

const fleet = await sharedFleet()

describe('GET /openapi.json: 200', async () => {
  const answer = await request(fleet.server.api, '/openapi.json')
  const description = answer.json

  it('needs no key and has no envelope', () => {
    assert.equal(answer.status, 200)
    assert.match(answer.headers['content-type']!, /^application\/(.*\+)?json/)
    assert.match(description.openapi, /^3\.1\./)
  })

  it('describes all operations and both ways to send the key', () => {
    const paths = Object.keys(description.paths)
    const prefix = description.servers?.[0]?.url.includes('/public/v1') ? '' : '/public/v1'
    for (const path of OPERATIONS) assert.ok(paths.includes(prefix + path), path)
    assert.equal(paths.length, OPERATIONS.length)
    const schemes = Object.values<Record<string, string>>(description.components.securitySchemes)
    assert.ok(schemes.some(({ type, name }) => type === 'apiKey' && name === 'x-api-key'))
    assert.ok(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer'))
  })

  it('is outside the prefix', async () => {
    const inside = await request(fleet.server.api, '/public/v1/openapi.json')
    assert.equal(inside.status, 404)
  })
})

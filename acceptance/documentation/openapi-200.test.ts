import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { PREFIX } from '../harness/organization.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /openapi.json: 200', async () => {
  const answer = await request(fleet.server.api, '/openapi.json')
  const description = answer.json

  it('needs no key and has no envelope', () => {
    assert.equal(answer.status, 200)
    assert.match(answer.headers['content-type']!, /^application\/(.*\+)?json/)
    assert.match(description.openapi, /^3\.1\./)
  })

  it('describes operations that are there, each with a key but the ping', async () => {
    for (const path of Object.keys(description.paths)) {
      const { status } = await request(fleet.server.api, PREFIX + path.replace('{id}', '1'))
      assert.equal(status, path === '/ping' ? 200 : 401, path)
    }
  })

  it('describes both ways to send the key', () => {
    const schemes = Object.values<Record<string, string>>(description.components.securitySchemes)
    assert.ok(schemes.some(({ type, name }) => type === 'apiKey' && name === 'x-api-key'))
    assert.ok(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer'))
  })

  it('is outside the prefix', async () => {
    const inside = await request(fleet.server.api, '/public/v1/openapi.json')
    assert.equal(inside.status, 404)
  })
})

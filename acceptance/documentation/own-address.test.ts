import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'

const BASE = 'https://example.com/fleet'

describe('The description of the API', () => {
  it('names the address that --api-url gives, in its servers and its example', async () => {
    const fleet = await startFleet({ full: 0, plain: 1 }, ['--api-url', `${BASE}/`])
    const { json, text } = await request(fleet.server.api, '/openapi.json')
    assert.equal(json.servers[0].url, `${BASE}/public/v1`)
    assert.ok(json.info.description.includes(` ${BASE}/public/v1/objects\n`))
    assert.equal(text.includes('your-host'), false)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import { fleetgate, type Json } from '../harness/fleetgate.ts'

const BASE = 'https://example.com/fleet'

async function descriptionOf(
  ...args: string[]
): Promise<{ json: Json; text: string; api: string }> {
  const { server } = await startFleet({ full: 0, plain: 1 }, args)
  const { json, text } = await request(server.api, '/openapi.json')
  return { json, text, api: server.api }
}

describe('The description of the API', () => {
  it('has the address of --api-url in its servers and its example', async () => {
    const { json, text } = await descriptionOf('--api-url', `${BASE}/`)
    assert.equal(json.servers[0].url, `${BASE}/public/v1`)
    assert.ok(json.info.description.includes(` ${BASE}/public/v1/objects\n`))
    assert.equal(text.includes('your-host'), false)
  })

  it('has the address of the server in its example without --api-url, and relative servers', async () => {
    const { json, text, api } = await descriptionOf()
    assert.equal(json.servers[0].url, '/public/v1')
    assert.ok(json.info.description.includes(` ${api}/public/v1/objects\n`))
    assert.equal(text.includes('your-host'), false)
  })
})

describe('The contact in the description', () => {
  const NAME = 'The operator of this server'

  it('is the e-mail address or URL of --contact', async () => {
    const mail = await descriptionOf('--contact', 'fleet@example.com')
    assert.deepEqual(mail.json.info.contact, { name: NAME, email: 'fleet@example.com' })
    const page = await descriptionOf('--contact', 'https://example.com/help')
    assert.deepEqual(page.json.info.contact, { name: NAME, url: 'https://example.com/help' })
  })

  it('must be an e-mail address or a URL', async () => {
    for (const contact of ['the operator', 'fleet@', 'javascript:alert(1)', 'a b@example.com']) {
      const { code, stderr } = await fleetgate(['serve', '--contact', contact])
      assert.equal(code, 2, contact)
      assert.match(stderr, /--contact.*an e-mail address or a URL/)
    }
  })
})

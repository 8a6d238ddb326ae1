import assert from 'node:assert/strict'
import { it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'

const BASE = 'https://example.com/fleet'
const NAME = 'The operator of this server'

async function descriptionOf(
  ...args: string[]
): Promise<{ json: Json; text: string; api: string }> {
  const { server } = await startFleet({ full: 0, plain: 1 }, args)
  const { json, text } = await request(server.api, '/openapi.json')
  assert.equal(text.includes('your-host'), false)
  return { json, text, api: server.api }
}

it('The description of the API has the address of --api-url, and the e-mail address of --contact', async () => {
  const contact = ['--contact', 'fleet@example.com']
  const { json } = await descriptionOf('--api-url', `${BASE}/`, ...contact)
  assert.equal(json.servers[0].url, `${BASE}/public/v1`)
  assert.ok(json.info.description.includes(` ${BASE}/public/v1/objects\n`))
  assert.deepEqual(json.info.contact, { name: NAME, email: 'fleet@example.com' })
})

it('The description of the API has the address of the server without --api-url, and the URL of --contact', async () => {
  const { json, api } = await descriptionOf('--contact', 'https://example.com/help')
  assert.equal(json.servers[0].url, '/public/v1')
  assert.ok(json.info.description.includes(` ${api}/public/v1/objects\n`))
  assert.deepEqual(json.info.contact, { name: NAME, url: 'https://example.com/help' })
})

it('The contact must be an e-mail address or a URL', async () => {
  const { runHere } = await commandLine()
  for (const contact of ['the operator', 'fleet@', 'javascript:alert(1)', 'a b@example.com']) {
    const { code, stderr } = await runHere(['serve', '--contact', contact])
    assert.equal(code, 2, contact)
    assert.match(stderr, /--contact.*an e-mail address or a URL/)
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Requests: health ping: GET /ping: 200', () => {
  it('answers without a key, and is counted for no organization', async () => {
    const answer = await request(fleet.server.api, `${PREFIX}/ping`)
    assert.deepEqual(resultOf(answer), { status: 'ok' })
    assert.equal(answer.headers['x-ratelimit-limit'], undefined)
    const organization = fleet.take()
    resultOf(await organization.get('/ping'))
    assert.equal((await organization.get('/objects')).headers['x-ratelimit-remaining'], '9')
  })
})

describe('Requests: description and reference page: 200', async () => {
  const description = await request(fleet.server.api, '/openapi.json')
  const page = await request(fleet.server.api, '/docs')

  it('need no key, and have no envelope', () => {
    assert.deepEqual([description.status, page.status], [200, 200])
    assert.match(description.headers['content-type']!, /^application\/(.*\+)?json/)
    assert.match(description.json.openapi, /^3\.1\./)
    assert.match(page.headers['content-type']!, /^text\/html/)
  })

  it('are outside the prefix', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      assert.equal((await request(fleet.server.api, PREFIX + path)).status, 404)
    }
  })

  it('describe both ways to send the key', () => {
    const { securitySchemes } = description.json.components
    const schemes = Object.values<Record<string, string>>(securitySchemes)
    assert.ok(schemes.some(({ type, name }) => type === 'apiKey' && name === 'x-api-key'))
    assert.ok(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer'))
  })

  it('is readable without a script, and loads nothing else', () => {
    assert.match(page.text, /<h3[^>]*>.*List objects.*<\/h3>/)
    assert.doesNotMatch(page.text, /<script|<iframe|<(?:img|link)[^>]*(?:src|href)="(?!data:)/)
  })

  it('loads files of this server only', async () => {
    assert.match(page.text, /href="\/docs\/try"/)
    const trial = await request(fleet.server.api, '/docs/try')
    const assets = [...trial.text.matchAll(/ src="([^"#]+)"/g)].map(([, url]) => url!)
    const fetched = assets.filter((url) => !url.startsWith('data:'))
    assert.ok(fetched.length > 0, 'the page loads nothing')
    for (const url of fetched) {
      assert.doesNotMatch(url, /^(https?:)?\/\//)
      const target = new URL(url, `${fleet.server.api}/docs`)
      const asset = await request(fleet.server.api, target.pathname)
      assert.equal(asset.status, 200, url)
    }
  })
})

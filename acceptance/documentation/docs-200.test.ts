import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /docs: 200', async () => {
  const page = await request(fleet.server.api, '/docs')

  it('is a page that needs no key', () => {
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type']!, /^text\/html/)
  })

  it('forbids the browser to contact any other host', () => {
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /default-src/)
    assert.doesNotMatch(policy, /https?:\/\//)
  })

  it('loads files of this server only', async () => {
    const assets = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, url]) => url!)
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparable } from '../harness/owned.ts'
import { at, newLink, open, operator, server, shown } from './shared-fleet.ts'

const SEED = 20_261_129
const ATTEMPTS = 500

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const wrong = `/s/fg_link_${'0'.repeat(36)}`

describe('A link that does not open', () => {
  it('gets the same page and the same data, for whatever reason', async () => {
    const revoked = await newLink()
    await operator.post(`${at}/links/${revoked.link.id}/revoke`)
    const rotated = await newLink()
    await operator.post(`${at}/links/${rotated.link.id}/rotate`, { overlap_hours: 0 })
    const { secret: key } = await operator.post(`${at}/keys`, { name: 'k' })
    const paths = [revoked.path, rotated.path, `/s/${key}`, '/s/', '/s/x/y', wrong]
    for (const ending of ['', '.json']) {
      const expected = await open(`${wrong}${ending}`)
      assert.equal(expected.status, 404)
      for (const path of paths) {
        assert.equal(comparable(await open(`${path}${ending}`)), comparable(expected), path)
      }
    }
    assert.match((await open(wrong)).text, /This link has ended or does not exist/)
  })

  it('is every link while the subscription is not active', async () => {
    const { path } = await newLink()
    for (const subscription of ['inactive', 'suspended']) {
      await operator.patch(at, { subscription })
      assert.equal(comparable(await open(path)), comparable(await open(wrong)))
      assert.equal((await open(`${path}.json`)).status, 404)
    }
    await operator.patch(at, { subscription: 'active' })
    assert.equal((await open(`${path}.json`)).status, 200)
  })

  it('is no API key, and an API key is no link', async () => {
    const { path } = await newLink()
    const token = path.slice('/s/'.length)
    const ways: Record<string, string>[] = [
      { 'x-api-key': token },
      { authorization: `Bearer ${token}` },
    ]
    for (const headers of ways) {
      assert.equal((await open('/public/v1/objects', headers)).status, 401)
    }
  })
})

describe('Attempts to see more than a link shows', () => {
  it(`show nothing else: ${ATTEMPTS} of the seed ${SEED}`, async (t) => {
    t.diagnostic(`seed ${SEED}`)
    const random = randomOf(SEED)
    const pick = <Each>(all: readonly Each[]): Each => all[Math.floor(random() * all.length)]!
    const grants = [{ objects: [shown] }]
    const links = await Promise.all(Array.from({ length: 12 }, () => newLink({ grants })))
    const paths = links.map(({ path }) => path)
    const queries = ['', '?way=true', '?ids=all', '?ids=2', '?objects=all', '?from_time=2020-01-01']
    queries.push('?include=attributes', '?format=csv', '?limit=9', '?cursor=x', '?key=1')
    const endings = ['', '.json', '.csv', '.geojson', '/', '/objects', '/objects/2', '/../..']
    endings.push('/positions', '.json/', '.json.json', '%2ejson', '/%2e%2e', '//', '\\')
    const changes = [
      (path: string) => path,
      (path: string) => path.slice(0, -1),
      (path: string) => `${path}0`,
      (path: string) => path.toUpperCase(),
      (path: string) => path.replace('fg_link_', 'fg_live_'),
      (path: string) => path.replace('/s/', '/S/'),
      (path: string) => path.replace('/s/', '/public/v1/'),
      (path: string) => path.replace('/s/', '/s//'),
      (path: string) => path.replace('/s/', '/s/assets/'),
    ]
    const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
    let seen = 0
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const path = pick(paths)
      const target = pick(changes)(path) + pick(endings) + pick(queries)
      const token = path.slice('/s/'.length)
      const headers = pick<Record<string, string>>([
        {},
        { 'x-api-key': token },
        { authorization: `Bearer ${token}` },
        { accept: 'text/csv' },
        { 'x-original-url': '/public/v1/objects' },
      ])
      const method = pick(methods)
      const { status, text } = await open(target, headers, method)
      const about = `${attempt}: ${method} ${target} ${JSON.stringify(headers)} ${status}`
      assert.ok([200, 400, 401, 404, 405, 429].includes(status), about)
      assert.ok(!/Van 2|"id"|"ident"|Sharing/.test(text), about)
      if (text.includes('Van 1')) {
        seen += 1
        assert.ok(method === 'GET' && new RegExp(`^${path}\\.json(\\?|$)`).test(target), about)
      }
    }
    assert.ok(seen > 0, 'some attempts were right')
  })

  it('leave no token in the log', () => {
    assert.ok(server.log.length > 0)
    assert.ok(!/fg_link_\w{5}/.test(JSON.stringify(server.log)))
  })
})

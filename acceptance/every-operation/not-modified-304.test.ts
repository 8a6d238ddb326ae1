import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Lists and detail: 304', () => {
  const organization = fleet.full[0]!
  for (const { name, path } of OPERATIONS.filter(({ isCached }) => isCached)) {
    it(name, async () => {
      const first = await organization.get(path(organization))
      resultOf(first)
      const { etag } = first.headers
      assert.match(etag!, /^W\/"[^"]+"$/)
      assert.equal(first.headers['cache-control'], 'private, no-cache')
      const headers = { 'if-none-match': etag! }
      const again = await organization.get(path(organization), { headers })
      assert.deepEqual([again.status, again.bytes.length], [304, 0])
      assert.equal(again.headers.etag, etag)
      assert.equal(again.headers['content-length'], undefined)
      assert.equal(again.headers['cache-control'], 'private, no-cache')
      assert.ok(again.headers['x-ratelimit-remaining'], 'a 304 counts too')
    })
  }

  it('accepts a list of entity tags, the strong form of one, and *', async () => {
    const other = fleet.full[1]!
    const { etag } = (await other.get('/objects')).headers
    const strong = etag!.slice(2)
    for (const field of [`"other", ${etag}`, strong, '*']) {
      const answer = await other.get('/objects', { headers: { 'if-none-match': field } })
      assert.equal(answer.status, 304, field)
    }
    const answer = await other.get('/objects', { headers: { 'if-none-match': 'W/"other"' } })
    resultOf(answer)
  })

  it('sends the whole answer after a change', async () => {
    const other = fleet.full[1]!
    const path = `/objects/${other.objects.truck}`
    const { etag } = (await other.get(path)).headers
    const id = String(other.objects.truck)
    await fleet.run('objects', 'update', id, '--org', String(other.id), '--name', 'Renamed')
    const answer = await other.get(path, { headers: { 'if-none-match': etag! } })
    assert.equal(resultOf(answer).name, 'Renamed')
    assert.notEqual(answer.headers.etag, etag)
  })
})

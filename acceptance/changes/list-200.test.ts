import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet()

describe('GET /changes: 200', () => {
  it('is empty for a client that starts now, and must not be kept by caches', async () => {
    const answer = await fleet.full[1]!.get('/changes?from=now')
    const page = resultOf(answer)
    assert.deepEqual([page.changes, page.has_more, page.snapshot], [[], false, false])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers.etag, undefined)
  })
})

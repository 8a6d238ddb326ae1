import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'

const fleet = await startFleet()

describe('GET /changes: 200', () => {
  it('is empty for a client that starts now, and must not be kept by caches', async () => {
    const answer = await fleet.full[1]!.get('/changes?from=now')
    const page = resultOf(answer)
    assert.deepEqual([page.changes, page.has_more, page.snapshot], [[], false, false])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers.etag, undefined)
  })

  for (const include of ['quality', 'exact', 'exact,quality']) {
    it(`has with include=${include} the rows of history, which its cursor keeps`, async () => {
      const own = fleet.take()
      const path = `/objects/${own.objects.van}/positions`
      const rows = resultOf(await own.get(`${path}?${WHOLE_RANGE}&include=${include}`))
      assert.ok(rows.length > 3)
      const entries: Json[] = []
      let query = `from=history&types=positions&ids=${own.objects.van}&include=${include}&limit=4`
      for (let page: Json = { has_more: true }; page.has_more; query = `cursor=${page.cursor}`) {
        page = resultOf(await own.get(`/changes?${query}`))
        entries.push(...page.changes)
      }
      const positions = entries.flatMap(({ position }) =>
        position === undefined ? [] : [position],
      )
      assert.deepEqual(positions.map(Object.entries), rows.map(Object.entries))
    })
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()
const read = async (organization: { get(path: string): Promise<Json> }, path: string) =>
  resultOf((await organization.get(path)) as never)

describe('GET /changes: 200', () => {
  it('gives lists and histories to a client that starts with the history', async () => {
    const own = fleet.full[0]!
    const entries: Json[] = []
    let page = await read(own, '/changes?from=history&limit=10')
    for (; page.has_more; page = await read(own, `/changes?limit=1000&cursor=${page.cursor}`)) {
      entries.push(...page.changes)
    }
    entries.push(...page.changes)
    const put = (type: string) =>
      entries.filter((entry) => entry.type === type && entry.op === 'put').map((e) => e[type])
    assert.deepEqual(put('object'), await read(own, '/objects'))
    assert.deepEqual(put('geofence'), await read(own, '/geofences'))
    const rows = await read(own, `/objects/${own.objects.van}/positions?${WHOLE_RANGE}`)
    const mine = put('position').filter(({ id }: Json) => id === own.objects.van)
    assert.ok(rows.length > 0)
    assert.deepEqual(mine, rows)
    assert.deepEqual(entries[0].type, 'retention')
  })

  it('is empty for a client that starts now, and must not be kept by caches', async () => {
    const answer = await fleet.full[1]!.get('/changes?from=now')
    const page = resultOf(answer)
    assert.deepEqual([page.changes, page.has_more, page.snapshot], [[], false, false])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers.etag, undefined)
  })

  it('has exact counters on request', async () => {
    const own = fleet.full[1]!
    const page = await read(own, '/changes?from=history&include=exact&types=positions&limit=10000')
    const rows = page.changes.filter(({ type }: Json) => type === 'position')
    assert.ok(rows.length > 0)
    for (const { position } of rows) {
      assert.deepEqual(Object.keys(position.exact), [
        'odometer_mm',
        'mileage_mm',
        'engine_hours_ms',
      ])
    }
  })
})

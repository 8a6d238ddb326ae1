import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderOf } from '../harness/sender.ts'

const fleet = await startFleet()

describe('GET /changes and the daily quota', () => {
  it('ends a page before the first entry that its object cannot pay', async () => {
    const own = fleet.take()
    const { van, truck } = own.objects
    await fleet.run('org', 'update', String(own.id), '--daily-quota', '1')
    resultOf(await own.get(`/objects/${truck}/positions?${WHOLE_RANGE}`))
    const query = `types=positions&include=exact&ids=${van},${truck}&limit=10000`
    const page = resultOf(await own.get(`/changes?from=history&${query}`))
    const ids = page.changes.flatMap((entry: Json) => entry.position?.id ?? [])
    assert.deepEqual([...new Set(ids)], [van])
    assert.equal(page.has_more, true)
    const next = await own.get(`/changes?cursor=${page.cursor}`)
    assertRefused(next, 400, 'PUBLIC.400_005', new RegExp(`\\b${truck}\\b`))
  })

  it('costs a hundredth for each position after the start', async () => {
    const own = await senderOf(fleet, fleet.take(), '--daily-quota', '1')
    const { cursor } = resultOf(await own.get('/changes?from=now&types=positions'))
    const sent = rowsOf(150)
    await own.post(sent)
    const answer = await own.get(`/changes?cursor=${cursor}&limit=60`)
    const first = resultOf(answer)
    assert.equal(first.changes.length, 60)
    assert.equal(answer.headers['x-quota-remaining'], '0', '40 hundredths are left')
    const second = resultOf(await own.get(`/changes?cursor=${first.cursor}&limit=60`))
    assert.deepEqual([second.changes.length, second.has_more], [40, true])
    assertRefused(
      await own.get(`/changes?cursor=${second.cursor}`),
      400,
      'PUBLIC.400_005',
      new RegExp(`\\b${own.objects.van}\\b`),
    )
    const skipping = `/changes?cursor=${second.cursor}&skip_exhausted=true`
    const { changes, has_more } = resultOf(await own.get(skipping))
    const withheld = { type: 'withheld', op: 'put', id: own.objects.van }
    const range = { from_time: sent[100]!.time_device, to_time: sent[149]!.time_device }
    assert.deepEqual(changes, [{ ...withheld, ...range, seq: changes[0].seq }])
    assert.equal(has_more, false)
  })
})

/** Positions of the van, a second apart, the last one now. */
function rowsOf(count: number) {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => ({
    ident: IDENTS.van,
    time_device: new Date(now - (count - index) * 1_000).toISOString(),
    latitude: 41,
    longitude: 2 + index / 1_000,
  }))
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparable } from '../harness/comparable.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet({ full: 2, plain: 6 })

/** The ids of the things that entries name. */
function idsIn(changes: Json[]): number[] {
  return changes.flatMap((entry) => {
    const named = entry[entry.type] ?? entry
    return named.id ?? []
  })
}

describe('GET /changes beside another organization', () => {
  it('answers to a cursor of the other as to a forged one', async () => {
    const [own, other] = [fleet.take(), fleet.take()]
    const { cursor } = resultOf(await other.get('/changes?from=history'))
    const foreign = await own.get(`/changes?cursor=${cursor}`)
    assertRefused(foreign, 400, 'PUBLIC.400_001', /^cursor is not valid/)
    const forged = await own.get(`/changes?cursor=${cursor.slice(0, -4)}AAAA`)
    assert.equal(comparable(foreign), comparable(forged))
    assert.equal(foreign.text.includes(cursor), false)
  })

  it('leaves out ids of the other, and answers 404 to them alone as to missing ones', async () => {
    const [own, other] = [fleet.take(), fleet.take()]
    const { van } = own.objects
    const mixed = resultOf(await own.get(`/changes?from=history&ids=${van},${other.objects.van}`))
    assert.deepEqual([...new Set(idsIn(mixed.changes))], [van, own.route])
    const foreign = await own.get(`/changes?ids=${other.objects.van},${other.objects.truck}`)
    assertRefused(foreign, 404, 'PUBLIC.404_001', 'Object not found.')
    const missing = await own.get('/changes?ids=999999998,999999999')
    assert.equal(comparable(foreign), comparable(missing))
    const { cursor } = resultOf(await own.get('/changes?from=now'))
    const continued = await own.get(`/changes?cursor=${cursor}&ids=${other.objects.van}`)
    const missed = await own.get(`/changes?cursor=${cursor}&ids=999999999`)
    assert.equal(comparable(continued), comparable(missed))
  })

  it('names nothing of the other', async () => {
    const idsOf = async (organization: (typeof fleet.full)[number]) => {
      const page = resultOf(await organization.get('/changes?from=history&limit=10000'))
      return new Set(idsIn(page.changes))
    }
    const [own, others] = [await idsOf(fleet.full[0]!), await idsOf(fleet.full[1]!)]
    assert.ok(own.size > 4 && others.size > 4)
    assert.deepEqual([...own.intersection(others)], [])
  })

  it('counts and streams no change of the other', async () => {
    const [own, other] = [fleet.take(), fleet.take()]
    const headers = { 'x-api-key': own.key, accept: 'text/event-stream' }
    const events = await openEvents(`${fleet.server.api}${PREFIX}/changes?from=now`, headers)
    assert.ok('next' in events)
    const { as_of: before } = (await events.next())!.data
    for (const [{ id }, days] of [
      [other, 5],
      [own, 6],
    ] as const) {
      await fleet.json('org', 'update', String(id), '--retention-days', `${days}`)
    }
    const { changes, as_of: after } = (await events.next())!.data
    assert.deepEqual([changes.map(({ days }: Json) => days), after], [[6], before + 1])
    events.close()
  })
})

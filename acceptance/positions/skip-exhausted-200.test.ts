import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions/latest and /positions/at with skip_exhausted: 200', async () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  await fleet.run('org', 'update', String(organization.id), '--daily-quota', '2')
  const idsOf = (rows: Json[]) => rows.map(({ id }) => id)
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))

  it('leaves out exhausted objects, names them, and charges the others', async () => {
    const refused = await organization.get('/positions/latest?ids=all')
    assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const answer = await organization.get('/positions/latest?ids=all&skip_exhausted=true')
    assert.deepEqual(idsOf(resultOf(answer) as Json[]), [truck, longHaul, silent])
    assert.equal(answer.headers['x-quota-exhausted'], String(van))
    assert.equal(answer.headers['x-quota-remaining'], '1')
  })

  it('charges only the rows in the answer', async () => {
    const path = '/positions/latest?bbox=150,-34,152,-33'
    // The van is elsewhere, but an answer without it would say so.
    assertRefused(await organization.get(path), 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const box = await organization.get(`${path}&skip_exhausted=true`)
    assert.deepEqual(idsOf(resultOf(box) as Json[]), [truck])
    assert.equal(box.headers['x-quota-exhausted'], String(van))
    const at = await organization.get('/positions/at?ids=all&time=2024-05-07&skip_exhausted=true')
    assert.deepEqual(idsOf(resultOf(at) as Json[]), [longHaul, silent])
    assert.equal(at.headers['x-quota-exhausted'], `${van},${truck}`)
  })

  it('refuses if nothing is left', async () => {
    const answer = await organization.get('/positions/latest?ids=all&skip_exhausted=true')
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${silent}\\b`))
  })

  it('charges a page of several histories to the objects in it', async () => {
    const other = fleet.take()
    const ids = [other.objects.van, other.objects.truck].join()
    await fleet.run('org', 'update', String(other.id), '--daily-quota', '1')
    resultOf(await other.get(`/positions?ids=${ids}&limit=5&${WHOLE_RANGE}`))
    resultOf(await other.get(`/objects/${other.objects.truck}/positions?${WHOLE_RANGE}`))
    const answer = await other.get(`/positions?ids=${ids}&limit=5&${WHOLE_RANGE}`)
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${other.objects.van}\\b`))
  })
})

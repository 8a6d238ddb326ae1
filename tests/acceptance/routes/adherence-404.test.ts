import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet()
const RANGE = 'from_time=2024-05-06&to_time=2024-05-06'
const MISSING = [999_999_999, '9007199254740993', '9'.repeat(40)]

describe('GET /routes/{id}/adherence: 404', () => {
  it('to the route of another organization as to a missing one', async () => {
    const [own, other] = [fleet.take(), fleet.take()]
    for (const route of [other.route, ...MISSING]) {
      const answer = await own.get(`/routes/${route}/adherence?object=${own.objects.van}&${RANGE}`)
      assertRefused(answer, 404, 'PUBLIC.404_001', 'Place not found.')
      assert.equal(answer.headers['x-quota-remaining'], undefined)
    }
  })

  it('to the object of another organization as to a missing one', async () => {
    const [own, other] = [fleet.take(), fleet.take()]
    for (const object of [other.objects.van, ...MISSING]) {
      const answer = await own.get(`/routes/${own.route}/adherence?object=${object}&${RANGE}`)
      assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
    }
  })
})

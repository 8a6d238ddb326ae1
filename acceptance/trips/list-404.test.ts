import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { RANGE } from './records-fleet.ts'

const fleet = await sharedFleet()

describe('GET /trips, /stops and /visits: 404', () => {
  for (const records of ['trips', 'stops', 'visits']) {
    it(`/${records} of none of its own objects`, async () => {
      const [own, other] = [fleet.take(), fleet.take()]
      for (const ids of [other.objects.van, 999_999_999, `0,${'9'.repeat(40)}`]) {
        const answer = await own.get(`/${records}?${RANGE}&ids=${ids}`)
        assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
      }
    })
  }
})

import { it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

it('GET /coverage of none of its own objects: 404', async () => {
  const [own, other] = [fleet.take(), fleet.take()]
  for (const ids of [other.objects.van, 999_999_999, `0,${'9'.repeat(40)}`]) {
    const answer = await own.get(`/coverage?from_date=2026-05-04&to_date=2026-05-04&ids=${ids}`)
    assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
  }
})

import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { RANGE } from './records-fleet.ts'

const fleet = await startFleet()
const DATES = 'from_date=2026-05-04&to_date=2026-05-04'

describe('GET /trips, /stops, /visits, /days and /coverage: 404', () => {
  for (const [report, range] of Object.entries({
    ...{ trips: RANGE, stops: RANGE, visits: RANGE },
    ...{ days: DATES, coverage: DATES },
  })) {
    it(`/${report} of none of its own objects`, async () => {
      const [own, other] = [fleet.take(), fleet.take()]
      for (const ids of [other.objects.van, 999_999_999, `0,${'9'.repeat(40)}`]) {
        const answer = await own.get(`/${report}?${range}&ids=${ids}`)
        assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
      }
    })
  }
})

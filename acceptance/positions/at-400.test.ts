import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions/at: 400', () => {
  const cases: [query: string, named: RegExp][] = [
    ['', /time/],
    ['ids=1', /time/],
    ['ids=1&time=', /time/],
    ['ids=1&time=now', /time/],
    ['ids=1&time=2026-02-30', /time/],
    ['ids=1&time=2026-02-03&time=2026-02-03', /time/],
    ['time=2026-02-03', /ids/],
    ['time=2026-02-03&ids=a', /ids/],
    ['time=2026-02-03&ids=all,1', /ids/],
    [`time=2026-02-03&ids=${Array.from({ length: 1001 }, (_, i) => i + 1).join()}`, /ids/],
    ['time=2026-02-03&ids=1&skip_exhausted=1', /skip_exhausted/],
    ['time=2026-02-03&ids=1&include=speed', /include/],
  ]
  for (const [query, named] of cases) {
    it(`refuses ?${query.slice(0, 60)}`, async () => {
      const answer = await fleet.ask(() => `/positions/at?${query}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', named)
    })
  }
})

import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()
const DATES = 'from_date=2026-05-04&to_date=2026-05-05'

describe('GET /coverage: 400', () => {
  const cases: [path: string, code: string, message: RegExp][] = [
    ['/coverage?to_date=2026-05-04', 'PUBLIC.400_001', /^from_date is required/],
    ['/coverage?from_date=2026-05-04', 'PUBLIC.400_002', /^to_date is required/],
    [`/coverage?${DATES}&to_date=2026-05-05`, 'PUBLIC.400_001', /^to_date .*once/],
    ['/coverage?from_date=2026-05-05&to_date=2026-05-04', 'PUBLIC.400_001', /^from_date .*to_date/],
    ['/coverage?from_date=2025-05-04&to_date=2026-05-05', 'PUBLIC.400_001', /366/],
    [`/coverage?${DATES}&ids=1x`, 'PUBLIC.400_001', /^ids /],
    [`/coverage?${DATES}&ids=${[...Array(1_001).keys()]}`, 'PUBLIC.400_001', /^ids .*1000/],
  ]
  for (const [path, code, message] of cases) {
    it(`refuses ${path.slice(0, 70)}`, async () => {
      assertRefused(await fleet.ask(() => path), 400, code, message)
    })
  }
})

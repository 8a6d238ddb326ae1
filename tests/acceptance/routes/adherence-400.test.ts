import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet()
const RANGE = 'from_time=2026-05-04&to_time=2026-05-04'

describe('GET /routes/{id}/adherence: 400', () => {
  const cases: [query: string, code: string, message: RegExp][] = [
    ['object=1&to_time=2026-05-04', 'PUBLIC.400_001', /From Time is required/],
    ['object=1&from_time=2026-05-04', 'PUBLIC.400_002', /To Time is required/],
    ['object=1&from_time=2026-05-04&to_time=2026-13-01', 'PUBLIC.400_001', /^to_time /],
    ['object=1&from_time=2026-05-05&to_time=2026-05-04', 'PUBLIC.400_001', /^from_time /],
    [RANGE, 'PUBLIC.400_001', /^object is required/],
    [`${RANGE}&object=`, 'PUBLIC.400_001', /^object is required/],
    [`${RANGE}&object=1x`, 'PUBLIC.400_001', /^object .*digits.*1x/],
    [`${RANGE}&object=1&object=2`, 'PUBLIC.400_001', /^object .*once/],
  ]
  for (const [query, code, message] of cases) {
    it(`refuses ${query}`, async () => {
      const answer = await fleet.ask(({ route }) => `/routes/${route}/adherence?${query}`)
      assertRefused(answer, 400, code, message)
    })
  }

  it('refuses an id of a route that is not digits', async () => {
    const answer = await fleet.ask(() => `/routes/7x/adherence?${RANGE}&object=1`)
    assertRefused(answer, 400, 'PUBLIC.400_001', /^id .*digits.*7x/)
  })

  it('refuses more days than the operator allows', async () => {
    const limited = await startFleet({ full: 0, plain: 1 }, ['--max-history-days', '2'])
    const range = 'from_time=2026-05-04&to_time=2026-05-06'
    const path = (route: number, van: number) => `/routes/${route}/adherence?object=${van}&${range}`
    const adherence = await limited.ask(({ route, objects }) => path(route, objects.van))
    assertRefused(adherence, 400, 'PUBLIC.400_001', /from_time .*to_time .*2 days/)
    const dates = 'from_date=2026-05-04&to_date=2026-05-06'
    const days = await limited.ask(() => `/days?${dates}`)
    assertRefused(days, 400, 'PUBLIC.400_001', /from_date .*to_date .*2 days/)
  })
})

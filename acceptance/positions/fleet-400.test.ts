import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions: 400', () => {
  const cases: [query: string, named: RegExp, code?: string][] = [
    ['ids=1&to_time=2026-01-01', /from_time/],
    ['ids=1&from_time=2026-01-01', /to_time/, 'PUBLIC.400_002'],
    ['ids=1&from_time=x&to_time=2026-01-01', /from_time/],
    ['ids=1&from_time=2026-01-02&to_time=2026-01-01', /from_time/],
    [WHOLE_RANGE, /ids/],
    [`ids=all&${WHOLE_RANGE}`, /ids/],
    [`ids=1;2&${WHOLE_RANGE}`, /ids/],
    [`ids=1&${WHOLE_RANGE}&limit=0`, /limit/],
    [`ids=1&${WHOLE_RANGE}&limit=10001`, /limit/],
    [`ids=1&${WHOLE_RANGE}&step=0`, /step/],
    [`ids=1&${WHOLE_RANGE}&step=86401`, /step/],
    [`ids=1&${WHOLE_RANGE}&step=1.5`, /step/],
    [`ids=1&${WHOLE_RANGE}&step=60&step=60`, /step/],
    [`ids=1&${WHOLE_RANGE}&include=all`, /include/],
    [`ids=1&${WHOLE_RANGE}&cursor=`, /cursor/],
    [`ids=1&${WHOLE_RANGE}&cursor=abcd`, /cursor/],
  ]
  for (const [query, named, code = 'PUBLIC.400_001'] of cases) {
    it(`refuses ?${query}`, async () => {
      const answer = await fleet.ask(() => `/positions?${query}`)
      assertRefused(answer, 400, code, named)
    })
  }

  it('refuses the cursor of other ids, another range or another step', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const first = await organization.get(`/positions?ids=${van},${truck}&limit=2&${WHOLE_RANGE}`)
    const link = /<([^>]+)>/.exec(String(first.headers.link))![1]!
    const cursor = new URL(link, 'http://x').searchParams.get('cursor')
    for (const query of [
      `ids=${truck},${van}&${WHOLE_RANGE}`,
      `ids=${van},${truck}&from_time=2024-05-05&to_time=2024-05-06`,
      `ids=${van},${truck}&${WHOLE_RANGE}&step=60`,
    ]) {
      const answer = await organization.get(`/positions?${query}&cursor=${cursor}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', /cursor/)
    }
  })
})

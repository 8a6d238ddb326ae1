import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects/{id}/positions: 400', () => {
  const cases: [query: string, code: string, message: RegExp][] = [
    ['', 'PUBLIC.400_001', /From Time is required/],
    ['to_time=2024-05-06', 'PUBLIC.400_001', /From Time is required/],
    ['from_time=2024-05-06', 'PUBLIC.400_002', /To Time is required/],
    ['from_time=x&to_time=2024-05-06', 'PUBLIC.400_001', /from_time/],
    ['from_time=2024-05-06&to_time=x', 'PUBLIC.400_001', /to_time/],
    ['from_time=2024-05-07&to_time=2024-05-06', 'PUBLIC.400_001', /from_time/],
    ['from_time=2024-05-06&to_time=2024-05-06&limit=0', 'PUBLIC.400_001', /limit/],
    ['from_time=2024-05-06&to_time=2024-05-06&limit=x', 'PUBLIC.400_001', /limit/],
    ['from_time=2024-05-06&to_time=2024-05-06&cursor=x', 'PUBLIC.400_001', /cursor/i],
  ]
  for (const [query, code, message] of cases) {
    it(`refuses ?${query}`, async () => {
      const answer = await fleet.ask(({ objects }) => `/objects/${objects.van}/positions?${query}`)
      assertRefused(answer, 400, code, message)
    })
  }

  it('refuses an id that is not digits', async () => {
    const answer = await fleet.ask(() => '/objects/abc/positions?from_time=2024&to_time=2024')
    assertRefused(answer, 400, 'PUBLIC.400_001', /id/)
  })
})

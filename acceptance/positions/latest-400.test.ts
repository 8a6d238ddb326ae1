import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions/latest: 400', () => {
  const queries = [
    ...['', 'ids=', 'ids=%20', 'ids=,', 'ids=1,', 'ids=,1', 'ids=1,,2', 'ids=a', 'ids=1;2'],
    ...['ids=1.5', 'ids=-1', 'ids=1%202', 'ids=0x1', 'ids=1e3', 'ids=%00'],
    ...[
      'ids=&ids=',
      'ids=1&ids=',
      'ids=1&ids=a',
      'ids[]=',
      'ids[]=1,',
      'ids[0]=1',
      'ids=1&ids[]=x',
    ],
    `ids=${Array.from({ length: 1001 }, (_, i) => i + 1).join(',')}`,
  ]
  for (const query of queries) {
    it(`refuses ?${query.slice(0, 40)}`, async () => {
      const answer = await fleet.ask(() => `/positions/latest?${query}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', /ids/)
    })
  }
})

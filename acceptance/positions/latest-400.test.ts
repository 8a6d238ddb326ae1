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
  const filters = [
    ...['bbox=', 'bbox=1,2,3', 'bbox=1,2,3,4,5', 'bbox=a,2,3,4', 'bbox=1,2,,4', 'bbox=1e1,2,3,4'],
    ...['bbox=-181,2,3,4', 'bbox=1,2,181,4', 'bbox=1,-91,3,4', 'bbox=1,2,3,91', 'bbox=1,5,3,4'],
    ...['bbox=1,2,3,4&bbox=1,2,3,4', 'ids=all&max_age=-1', 'ids=all&max_age=1.5'],
    ...['ids=all&max_age=x', 'ids=all&max_age=315360001', 'max_age=5', 'ids=all,1'],
    ...['ids=all&skip_exhausted=yes', 'ids=1&include=speed', 'ids=1&include=exact,all'],
  ]
  for (const query of filters) {
    it(`refuses ?${query}`, async () => {
      const answer = await fleet.ask(() => `/positions/latest?${query}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', /bbox|max_age|skip_exhausted|include|ids/)
    })
  }
  for (const query of queries) {
    it(`refuses ?${query.slice(0, 40)}`, async () => {
      const answer = await fleet.ask(() => `/positions/latest?${query}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', /ids/)
    })
  }
})

import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions/latest: 404', () => {
  for (const ids of ['999999999', '0,999999999', '9'.repeat(400)]) {
    it(`finds no object of ${ids.slice(0, 24)}`, async () => {
      const answer = await fleet.ask(() => `/positions/latest?ids=${ids}`)
      assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
    })
  }
})

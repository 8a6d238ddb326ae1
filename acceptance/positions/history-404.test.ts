import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects/{id}/positions: 404', () => {
  for (const id of ['0', '999999999', '9007199254740993', '9'.repeat(400)]) {
    it(`has no object ${id.slice(0, 24)} (${id.length} digits)`, async () => {
      const answer = await fleet.ask(() => `/objects/${id}/positions?${WHOLE_RANGE}`)
      assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
    })
  }
})

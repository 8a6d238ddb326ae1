import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects: 400', () => {
  for (const name of ['ident', 'vin', 'plate_number', 'q']) {
    it(`refuses ${name} twice`, async () => {
      const answer = await fleet.ask(() => `/objects?${name}=a&${name}=b`)
      assertRefused(answer, 400, 'PUBLIC.400_001', new RegExp(name))
    })
  }
})

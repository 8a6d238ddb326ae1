import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects/{id}: 400', () => {
  const malformed = [
    ...['abc', '1a', '-1', '+1', '1.0', '1e3', '0x10', '%201', '1%20', '%D9%A1'],
    ...['1,2', 'null', 'NaN', '%00', '1%00', '...', '%27%20OR%201=1'],
  ]
  for (const id of malformed) {
    it(`refuses the id ${id}`, async () => {
      assertRefused(await fleet.ask(() => `/objects/${id}`), 400, 'PUBLIC.400_001')
    })
  }
})

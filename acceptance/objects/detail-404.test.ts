import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects/{id}: 404', () => {
  const nobody = [
    ...['0', '999999999', '9007199254740993', '18446744073709551617'],
    ...['9'.repeat(400), '0'.repeat(400)],
  ]
  for (const id of nobody) {
    it(`has no object ${id.slice(0, 24)} (${id.length} digits)`, async () => {
      assertRefused(
        await fleet.ask(() => `/objects/${id}`),
        404,
        'PUBLIC.404_001',
        'Object not found.',
      )
    })
  }

  it('does not treat an id of 2^64 or more as its remainder', async () => {
    const wrapped = (id: number) => String(BigInt(id) + 2n ** 64n)
    const answer = await fleet.ask(({ objects }) => `/objects/${wrapped(objects.van)}`)
    assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
  })
})

import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { OPERATIONS, POSITION_OPERATIONS } from '../harness/operations.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Position endpoints without an active subscription: 403', () => {
  for (const subscription of ['inactive', 'suspended']) {
    it(`are the only ones refused under ${subscription}`, async () => {
      const organization = fleet.take()
      const id = String(organization.id)
      await fleet.run('org', 'update', id, '--subscription', subscription)
      for (const operation of OPERATIONS) {
        const answer = await organization.get(operation.path(organization))
        if (!POSITION_OPERATIONS.includes(operation)) resultOf(answer)
        else assertRefused(answer, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
      }
      await fleet.run('org', 'update', id, '--subscription', 'active')
      for (const operation of POSITION_OPERATIONS) {
        resultOf(await organization.get(operation.path(organization)))
      }
    })
  }
})

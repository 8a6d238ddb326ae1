import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { withRoom } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Position endpoints without an active subscription: 403', () => {
  for (const subscription of ['inactive', 'suspended']) {
    it(`are the only ones refused under ${subscription}`, async () => {
      // One of them could not send so many requests at once.
      const organizations = [fleet.take(), fleet.take(), fleet.take()]
      const set = async (to: string) => {
        for (const { id } of organizations) {
          await fleet.run('org', 'update', String(id), '--subscription', to)
        }
      }
      await set(subscription)
      for (const operation of OPERATIONS) {
        const organization = await withRoom(organizations)
        const answer = await organization.get(operation.path(organization))
        if (!operation.isOfPositions) resultOf(answer)
        else assertRefused(answer, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
      }
      await set('active')
      for (const operation of OPERATIONS.filter((each) => each.isOfPositions)) {
        const organization = await withRoom(organizations)
        resultOf(await organization.get(operation.path(organization)))
      }
    })
  }
})

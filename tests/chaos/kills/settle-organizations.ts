import type { Deployment } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { type FleetRecord, makeFleet } from '../../acceptance/harness/make-fleet.ts'

/** Creates organizations in an empty deployment, with settings of `org update`. */
export async function settleOrganizations(
  deployment: Deployment,
  count: number,
  ...settings: string[]
): Promise<FleetRecord[]> {
  const records = await makeFleet(deployment, { full: 0, plain: count })
  if (settings.length > 0) {
    for (const { id } of records) {
      await fleetgateJson(['org', 'update', String(id), ...settings, ...deployment.args])
    }
  }
  return records
}

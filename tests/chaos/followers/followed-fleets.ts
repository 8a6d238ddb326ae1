import type { Deployment } from '../../acceptance/harness/deployment.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { assertRecords, wantRecords } from '../../acceptance/harness/following/derived-records.ts'
import {
  type FollowedCounts,
  followFleet,
} from '../../acceptance/harness/following/followed-fleet.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import { settleOrganizations } from '../kills/settle-organizations.ts'

/** Two organizations that send and are followed at the same time. */
export type FollowedFleets = {
  begin(): Promise<void>
  /** Resolves when packets are acknowledged again, and all followers have read more. */
  goOn(): Promise<void>
  /**
   * The comparison of all followers with what the API answers, and of the derived records with the sorted
   * positions.
   */
  finish(forget: () => Promise<void>): Promise<FollowedCounts & { records: number }>
  stop(): Promise<void>
}

/** The addresses of running servers at this moment. */
export type Addresses = { api(): string; feed(): string }

const ORGANIZATIONS = 2

/** `addresses`: of the servers that are started on the deployment afterwards. */
export async function followFleets(
  deployment: Deployment,
  { api, feed }: Addresses,
): Promise<FollowedFleets> {
  const records = await settleOrganizations(deployment, ORGANIZATIONS, '--create-objects')
  const fleets = records.map((record) => {
    const sender = senderTo(organizationOf(record, api), feed)
    return followFleet(sender, { id: record.objects.silent, ident: IDENTS.silent }, api)
  })
  return {
    async begin() {
      for (const { id } of records) await wantRecords(deployment, id)
      await Promise.all(fleets.map((fleet) => fleet.begin()))
    },
    async goOn() {
      await Promise.all(fleets.map((fleet) => fleet.goOn()))
    },
    async finish(forget) {
      const counts: FollowedCounts & { records: number } = {
        ...{ 'packets acknowledged': 0, 'entries read': 0, gaps: 0, doubles: 0, records: 0 },
      }
      for (const fleet of fleets) {
        const own = Object.entries(await fleet.finish(forget))
        for (const [name, value] of own) counts[name as keyof FollowedCounts] += value
      }
      for (const { id } of records) counts.records += await assertRecords(deployment, id)
      return counts
    },
    async stop() {
      await Promise.all(fleets.map((fleet) => fleet.stop()))
    },
  }
}

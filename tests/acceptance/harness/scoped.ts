import type { Fleet, FleetOrganization } from './fleet.ts'
import { organizationOf } from './organization.ts'

/** The organization as the holder of a new key sees it, with its scope as the command line takes it. */
export async function scoped(
  fleet: Pick<Fleet, 'json' | 'server'>,
  organization: FleetOrganization,
  ...scope: string[]
): Promise<FleetOrganization & { keyId: number }> {
  const org = String(organization.id)
  const { id: keyId, key } = await fleet.json('key', 'issue', '--org', org, ...scope)
  const { get: _, untilRoom: __, ...record } = organization
  return organizationOf({ ...record, key, keyId }, () => fleet.server.api)
}

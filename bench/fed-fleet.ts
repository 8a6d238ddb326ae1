import * as ownSecrets from '../packages/server/src/base/access/secret.ts'
import {
  ORGANIZATION_DEFAULTS,
  type OrganizationSettings,
} from '../packages/server/src/base/domain/organization.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { identOf } from './feed-packets.ts'

/** An organization whose vehicles send: `feed-packets.ts` has their packets. */
export type FedFleet = {
  organization: number
  key: string
  token: string
  /** By the number of the vehicle. */
  ids: number[]
}

/** `secrets`: those of the checkout whose store it is. */
export async function addFedFleet(
  store: Store,
  vehicles: number,
  settings: Partial<OrganizationSettings> = {},
  secrets: typeof ownSecrets = ownSecrets,
): Promise<FedFleet> {
  const now = Date.now()
  const named = { ...ORGANIZATION_DEFAULTS, name: 'Fed', maxObjects: vehicles, ...settings }
  const { id: organization } = await store.organizations.create(named, now)
  const { secret: key, ...storedKey } = secrets.newSecret(secrets.API_KEY)
  await store.keys.issue(organization, { ...storedKey, name: 'load', expiresAt: null }, now)
  const { secret: token, ...storedToken } = secrets.newSecret(secrets.FEED_TOKEN)
  const issued = { ...storedToken, name: 'load', expiresAt: null }
  await store.feedTokens.issue(organization, issued, now)
  const idents = Array.from({ length: vehicles }, (_, vehicle) => identOf(vehicle))
  const found = await store.objects.ensure(organization, idents, now)
  return { organization, key, token, ids: idents.map((ident) => found.ids.get(ident)!) }
}

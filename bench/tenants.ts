import { API_KEY, newSecret } from '../packages/server/src/base/access/secret.ts'
import { OBJECT_DEFAULTS } from '../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'

/** An organization with one key and one object: the minimum for a request. */
export type Tenant = {
  organization: number
  key: string
  object: number
  ident: string
  name: string
  address: string
}

/** One organization may send only what its rate window admits: load needs many of them. */
export async function addTenants(store: Store, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let i = 0; i < count; i++) tenants.push(await addTenant(store, i))
  return tenants
}

async function addTenant(store: Store, i: number): Promise<Tenant> {
  const now = Date.now()
  const named = { ...ORGANIZATION_DEFAULTS, name: `Organization ${i}` }
  const organization = (await store.organizations.create(named, now)).id
  const { secret: key, ...stored } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...stored, name: 'load', expiresAt: null }, now)
  const settings = {
    ...OBJECT_DEFAULTS,
    // Answers then show the values of the drive, and another server can show the same.
    odometerType: 'sensor' as const,
    engineHoursType: 'sensor' as const,
    name: `Van ${i}`,
    ident: String(350_000_000_000_000 + i),
    vin: 'WDB9066331S123456',
    plateNumber: `FG ${i}`,
    address: '2910 East 5th Street, Austin, TX 78702',
  }
  const [put] = await store.objects.put(organization, [settings], now)
  if (put?.outcome !== 'created') throw new Error(`object ${i} was not created`)
  const { ident, name, address } = settings
  return { organization, key, object: put.id, ident, name, address }
}

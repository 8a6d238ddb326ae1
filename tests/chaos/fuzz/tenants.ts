import { API_KEY, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import {
  DISTANCE_UNITS,
  LANGUAGES,
  ORGANIZATION_DEFAULTS,
} from '../../../packages/server/src/base/domain/organization.ts'
import { bareFix } from '../../../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../../../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { seeded } from '../../../packages/server/testing/random.ts'

/** An organization with everything that its answers can contain. */
export type Tenant = {
  organization: number
  key: string
  /** Revoked and expired keys. */
  deadKeys: string[]
  isActive: boolean
  /** Whether its objects have a daily quota. */
  isLimited: boolean
  language: string
  objects: TenantObject[]
  /** Ids of its places, ascending, by the path of their list. */
  places: Record<string, number[]>
}

/** An object with one fix every `FIX_STEP_MS` from `FIRST_FIX` on. */
export type TenantObject = { id: number; fixes: number }

export const FIRST_FIX = Date.UTC(2024, 4, 6, 8)
export const FIX_STEP_MS = 60_000
const FIXES = [40, 3, 0]
/** Enough fixes that a history is streamed in several blocks; one organization in so many has such an object. */
const LONG = { fixes: 4_000, every: 200 }
const HOUR_MS = 3_600_000

/** Fills an empty store with organizations of every kind. Only the keys are random. */
export async function addTenants(
  store: Store,
  count: number,
  progress: (done: number) => void,
): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let i = 0; i < count; i++) {
    tenants.push(await addTenant(store, i))
    if ((i + 1) % 1_000 === 0) progress(i + 1)
  }
  return tenants
}

async function addTenant(store: Store, i: number): Promise<Tenant> {
  const now = Date.now()
  const random = seeded('fuzz tenant', i)
  const settings = {
    ...ORGANIZATION_DEFAULTS,
    name: `Organization ${i}`,
    distanceUnit: random.pick(DISTANCE_UNITS),
    language: random.pick(LANGUAGES),
    subscription: random.chance(0.02) ? random.pick(['inactive', 'suspended'] as const) : 'active',
    dailyQuota: random.chance(0.1) ? random.pick([3, 1_000_000]) : null,
  } as const
  const organization = (await store.organizations.create(settings, now)).id
  const key = await issueKey(store, organization, null)
  return {
    organization,
    key,
    deadKeys: i % 50 === 0 ? await deadKeys(store, organization) : [],
    isActive: settings.subscription === 'active',
    isLimited: settings.dailyQuota === 3,
    language: settings.language,
    objects: await addObjects(store, organization, i),
    places: await addPlaces(store, organization, i),
  }
}

async function issueKey(
  store: Store,
  organization: number,
  expiresAt: number | null,
): Promise<string> {
  const { secret, ...stored } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...stored, name: 'fuzz', expiresAt }, Date.now() - HOUR_MS)
  return secret
}

async function deadKeys(store: Store, organization: number): Promise<string[]> {
  const expired = await issueKey(store, organization, Date.now() - 1_000)
  const revoked = await issueKey(store, organization, null)
  const last = (await store.keys.list(organization)).at(-1)!
  await store.keys.revoke(organization, last.id, Date.now())
  return [revoked, expired]
}

async function addObjects(store: Store, organization: number, i: number): Promise<TenantObject[]> {
  const fixes = i % LONG.every === 0 ? [LONG.fixes, ...FIXES.slice(1)] : FIXES
  const put = await store.objects.put(
    organization,
    fixes.map((_, n) => ({
      ...OBJECT_DEFAULTS,
      name: `Van "${i}" \\ Kamyon Ö ${n}`,
      ident: `${350_000_000_000_000 + i * 10 + n}`,
      vin: n === 0 ? 'WDB9066331S123456' : null,
      plateNumber: `FG ${i}`,
    })),
    Date.now(),
  )
  const objects = put.map((each, n) => {
    if (!('id' in each)) throw new Error(`object ${n} of ${i} was not created`)
    return { id: each.id, fixes: fixes[n]! }
  })
  await store.positions.append(
    organization,
    objects.flatMap(({ id, fixes: many }) =>
      Array.from({ length: many }, (_, n) => ({ object: id, fix: fixAt(i, n) })),
    ),
    foldRules(systemClock),
  )
  return objects
}

function fixAt(tenant: number, n: number) {
  const time = FIRST_FIX + n * FIX_STEP_MS
  return {
    ...bareFix(time, time + 400, (tenant % 140) - 70 + n / 1e4, (tenant % 350) - 175 - n / 1e4),
    altitude: n,
    angle: (n * 7) % 360,
    speed: n % 5 === 0 ? null : (n * 3) % 90,
    ignition: n % 7 !== 0,
    address: n % 10 === 0 ? `Kumbaracı Yokuşu No:${n}, Beyoğlu` : null,
  }
}

async function addPlaces(
  store: Store,
  organization: number,
  i: number,
): Promise<Record<string, number[]>> {
  const now = Date.now()
  const named = {
    name: `Place ${i}`,
    description: i % 2 === 0 ? null : '“Yard” \u0007 \ud83d\ude9a',
  }
  const ring: [number, number][] = [
    [28.95, 41.01],
    [28.96, 41.01],
    [28.96, 41.02],
  ]
  const geofences = await store.geofences.put(
    organization,
    [{ ...named, color: '#FF8800', coordinates: ring }],
    now,
  )
  const points = ring.map((location, order) => ({ location, order }))
  const route = { ...named, color: null, deviation: 120.5, points, coordinates: [ring] }
  const routes = i % 3 === 0 ? [] : await store.routes.put(organization, [route], now)
  const site = { ...named, icon: 'depot', latitude: 41.0098765, longitude: 28.95, radius: 75.5 }
  const sites = await store.sites.put(
    organization,
    [site, { ...site, name: 'Other', radius: null }],
    now,
  )
  const ids = (put: readonly object[]) => put.map((each) => (each as { id: number }).id)
  return { geofences: ids(geofences), routes: ids(routes), sites: ids(sites) }
}

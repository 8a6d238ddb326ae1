import { API_KEY, newSecret } from '../packages/server/src/access/secret.ts'
import { systemClock } from '../packages/server/src/domain/clock.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/domain/organization.ts'
import { OBJECT_DEFAULTS } from '../packages/server/src/domain/tracked-object.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import { trackingRules } from '../packages/server/src/tracking/rules.ts'
import { driveFix } from './drive.ts'
import { identOf } from './feed-packets.ts'

/** An organization with a key and objects, each of which has reported once. */
export type Fleet = { organization: number; key: string; objects: number[] }

const BATCH = 5_000

/** Organizations as they are when nothing is set: no quota, among other things. */
export async function addFleets(store: Store, count: number, objects: number): Promise<Fleet[]> {
  const fleets: Fleet[] = []
  for (let i = 0; i < count; i++) fleets.push(await addFleet(store, i, objects))
  return fleets
}

async function addFleet(store: Store, number: number, size: number): Promise<Fleet> {
  const now = Date.now()
  const named = { ...ORGANIZATION_DEFAULTS, name: `Fleet ${number}` }
  const { id: organization } = await store.organizations.create(named, now)
  const { secret: key, ...stored } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...stored, name: 'load', expiresAt: null }, now)
  const objects: number[] = []
  for (let from = 0; from < size; from += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => ({
      ...OBJECT_DEFAULTS,
      name: `Van ${from + i}`,
      ident: identOf(number * size + from + i),
      vin: 'WDB9066331S123456',
      plateNumber: `FG ${from + i}`,
      address: '2910 East 5th Street, Austin, TX 78702',
    }))
    const put = await store.objects.put(organization, entries, now)
    const ids = put.map((each) => (each.outcome === 'created' ? each.id : refused(each)))
    const fixes = ids.map((object, i) => ({ object, fix: driveFix(from + i) }))
    await store.positions.append(organization, fixes, trackingRules(systemClock))
    objects.push(...ids)
  }
  return { organization, key, objects }
}

function refused(outcome: unknown): never {
  throw new Error(`an object was not created: ${JSON.stringify(outcome)}`)
}

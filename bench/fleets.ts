import { API_KEY, newSecret } from '../packages/server/src/base/access/secret.ts'
import { OBJECT_DEFAULTS } from '../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { driveFix } from './drive.ts'
import { identOf } from './feed-packets.ts'

/** An organization with a key and objects, each with one position. */
export type Fleet = { organization: number; key: string; objects: number[] }

const BATCH = 5_000

/** Adds organizations with default settings, such as no quota. */
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
    await store.positions.append(organization, fixes, foldRules(systemClock))
    objects.push(...ids)
  }
  return { organization, key, objects }
}

function refused(outcome: unknown): never {
  throw new Error(`an object was not created: ${JSON.stringify(outcome)}`)
}

import assert from 'node:assert/strict'
import { describe } from 'node:test'
import {
  ITEM_RULES,
  type ItemSettings,
  LIST_TOPICS,
  type ListTopic,
} from '../../src/base/domain/item-rules.ts'
import { ACCURACY_DEFAULTS, type ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type {
  GeofenceSettings,
  RouteSettings,
  SiteSettings,
} from '../../src/base/domain/places/place.ts'
import type { Rule } from '../../src/base/domain/setting-rule.ts'
import type { ItemStore } from '../../src/engine/store/item-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { LISTED } from '../../src/work/simulated/test-fleet/catalogue.ts'
import { valuesOf } from '../values-of.ts'
import { idOf, MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

/** The parts of a catalogue store that do not depend on its kind. */
type Stored<Settings> = Settings & {
  id: number
  organization: number
  createdAt: number
  updatedAt: number
}
type Kind<Settings> = {
  name: string
  of(store: Store): ItemStore<Stored<Settings>, Settings>
  entry: Settings
  patch: Partial<Settings>
}

const GEOFENCE: GeofenceSettings = {
  name: 'Depot',
  description: null,
  color: '#00ff00',
  coordinates: [
    [-97.7, 30.2],
    [-97.6, 30.2],
    [-97.6, 30.3],
    [-97.7, 30.2],
  ],
}
const ROUTE: RouteSettings = {
  name: 'Line 7',
  description: 'Duval / Dove Springs',
  color: null,
  deviation: 50.5,
  points: [
    { location: [-97.7, 30.2], order: 0 },
    { location: [-97.6, 30.3], order: 1 },
  ],
  coordinates: [
    [
      [-97.7, 30.2],
      [-97.6, 30.3],
    ],
  ],
}
const SITE: SiteSettings = {
  name: 'Fuel',
  description: null,
  icon: 'pump',
  latitude: 30.2,
  longitude: -0,
  radius: null,
}
/** Items with values at the edges. Other kinds have those of the simulated fleet, and lose what may be unknown. */
const ENTRIES: { [Topic in ListTopic]?: [entry: ItemSettings[Topic], patch: object] } = {
  geofences: [GEOFENCE, { coordinates: [[0.1, 0.2]] }],
  routes: [ROUTE, { deviation: null, points: [] }],
  sites: [SITE, { radius: 25 }],
}

function listedKind(name: ListTopic): Kind<{ name: string }> {
  const { id: _, ...simulated } = LISTED[name][0]!
  const optional = Object.entries<Rule>(ITEM_RULES[name]).filter(([, rule]) => rule.optional)
  const unknown = Object.fromEntries(optional.map(([setting]) => [setting, null]))
  const [entry, patch] = ENTRIES[name] ?? [simulated, unknown]
  return { name, of: (store) => store[name] as never, entry, patch }
}

/** Names each setting, so that the compiler asks for a value of a new one. */
const OBJECT: ObjectSettings = {
  name: 'Bus 356938035643809',
  ident: '356938035643809',
  vin: '1M8GDM9AXKP042788',
  plateNumber: null,
  privateHours: 'Mo-Fr 18:00-08:00; Sa,Su',
  privateRanges: '2026-12-24',
  privateTimeZone: 'Europe/Madrid',
  retentionDays: 30,
  engineHoursType: 'sensor',
  odometerType: 'sensor',
  engineHours: 1_234.5,
  odometer: 123.456,
  odometerOffset: -20.5,
  mileage: 7.25,
  address: 'Congress Ave',
  accuracy: { ...ACCURACY_DEFAULTS, maximumHdop: 5.5 },
}

/** An adapter may read long lists in several statements. */
const LARGE = 2_001

export function catalogueContract(it: StoreTest): void {
  kindContract(it, {
    name: 'objects',
    of: (store) => store.objects,
    entry: OBJECT,
    patch: { plateNumber: 'TX 1' },
  })
  for (const topic of LIST_TOPICS) kindContract(it, listedKind(topic))
  describe('A list', () => {
    it('has every item of a large fleet once, by id, and none of another organization', async (store) => {
      const [large, other] = [await newOrganization(store), await newOrganization(store)]
      const named = (_: unknown, i: number) => ({ ...SITE, name: `Site ${i}` })
      const entries = Array.from({ length: LARGE }, named)
      const put = await store.sites.put(large, entries, NOW)
      await store.sites.put(other, [SITE], NOW)
      const listed = await store.sites.list(large)
      const ids = put.map(idOf).sort((a, b) => a - b)
      assert.deepEqual(valuesOf(listed, 'id'), ids)
      assert.equal(new Set(listed.map(({ name }) => name)).size, LARGE)
      const inPages: number[] = []
      for await (const page of store.sites.pages(large)) inPages.push(...page.map(({ id }) => id))
      assert.deepEqual(inPages, ids)
      assert.deepEqual(await store.sites.named(large, 'Site 7'), [idOf(put[7])])
      assert.deepEqual(await store.sites.named(other, 'Site 7'), [])
    })

    it('has long places as they were put, and notices that they are unchanged', async (store) => {
      const organization = await newOrganization(store)
      const ring = Array.from({ length: 30_000 }, (_, i): [number, number] => [i / 7, i % 80])
      const fence = (n: number) => ({ ...GEOFENCE, name: `Fence ${n}`, coordinates: ring })
      const fences = [fence(1), fence(2), fence(3)]
      await store.geofences.put(organization, fences, NOW)
      const again = JSON.parse(JSON.stringify(fences))
      for (const put of await store.geofences.put(organization, again, NOW + 1)) {
        assert.equal(put.outcome, 'unchanged')
      }
      const listed = await store.geofences.list(organization)
      assert.deepEqual(valuesOf(listed, 'coordinates'), [ring, ring, ring])
      const { id } = listed[1]!
      const changed = await store.geofences.update(organization, id, { name: 'B' }, NOW + 2)
      assert.deepEqual(changed, { ...listed[1]!, name: 'B', updatedAt: NOW + 2 })
      assert.deepEqual(await store.geofences.find(organization, id), changed)
    })
  })
}

function kindContract<Settings extends { name: string }>(
  it: StoreTest,
  { name, of, entry, patch }: Kind<Settings>,
): void {
  describe(name, () => {
    it('return exactly the stored values', async (store, reopen) => {
      const organization = await newOrganization(store)
      const [put] = await of(store).put(organization, [entry], NOW)
      const id = idOf(put)
      assert.deepEqual(put, { outcome: 'created', id })
      const expected = { id, organization, ...entry, createdAt: NOW, updatedAt: NOW }
      const again = of(await reopen())
      assert.deepEqual(await again.list(organization), [withoutMinusZero(expected)])
      assert.deepEqual(await again.find(organization, id), withoutMinusZero(expected))
      assert.equal(await again.find(organization, MISSING), null)
    })

    it('match an existing entry and change differing fields', async (store) => {
      const organization = await newOrganization(store)
      const [created] = await of(store).put(organization, [entry], NOW)
      const id = idOf(created)
      const changed = { ...entry, ...patch }
      const outcomes = await of(store).put(organization, [entry, changed, changed], NOW + 1)
      assert.deepEqual(outcomes, [
        { outcome: 'unchanged', id },
        { outcome: 'updated', id },
        { outcome: 'unchanged', id },
      ])
      const [item] = await of(store).list(organization)
      assert.deepEqual([item?.createdAt, item?.updatedAt], [NOW, NOW + 1])
    })

    it('match by id before anything else, and accept a free id', async (store) => {
      const organization = await newOrganization(store)
      const renamed = { ...entry, name: 'Renamed' }
      const outcomes = await of(store).put(
        organization,
        [
          { ...entry, id: 4_001 },
          { ...renamed, id: 4_001 },
        ],
        NOW,
      )
      assert.deepEqual(outcomes, [
        { outcome: 'created', id: 4_001 },
        { outcome: 'updated', id: 4_001 },
      ])
      assert.deepEqual(
        (await of(store).list(organization)).map((item) => item.name),
        ['Renamed'],
      )
    })

    it('get another id if the wanted one belongs to another organization', async (store) => {
      const [first, second] = [await newOrganization(store), await newOrganization(store)]
      await of(store).put(first, [{ ...entry, id: 77 }], NOW)
      const [put] = await of(store).put(second, [{ ...entry, id: 77 }], NOW)
      assert.equal(put?.outcome, 'created')
      assert.ok(idOf(put) > 77)
      assert.equal((await of(store).list(first))[0]?.id, 77)
    })

    it('reject an invalid id together with all items of the call', async (store) => {
      const organization = await newOrganization(store)
      for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
        await assert.rejects(of(store).put(organization, [{ ...entry, id }], NOW), RangeError)
      }
      assert.deepEqual(await of(store).list(organization), [])
    })

    it('update the fields of a patch', async (store) => {
      const organization = await newOrganization(store)
      const id = idOf((await of(store).put(organization, [entry], NOW))[0])
      const before = await of(store).find(organization, id)
      const updated = await of(store).update(
        organization,
        id,
        { ...patch, name: undefined },
        NOW + 1,
      )
      assert.deepEqual(updated, { ...before, ...patch, updatedAt: NOW + 1 })
      assert.deepEqual(await of(store).find(organization, id), updated)
      assert.deepEqual(await of(store).update(organization, id, patch, NOW + 2), updated)
      assert.equal(await of(store).update(organization, MISSING, patch, NOW), null)
    })

    it('are deleted once, and their id is never assigned again', async (store, reopen) => {
      const organization = await newOrganization(store)
      const id = idOf((await of(store).put(organization, [entry], NOW))[0])
      assert.equal(await of(store).delete(organization, id), true)
      assert.equal(await of(store).delete(organization, id), false)
      assert.equal(await of(store).find(organization, id), null)
      assert.ok(idOf((await of(await reopen()).put(organization, [entry], NOW))[0]) > id)
    })

    it('are invisible to other organizations', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const id = idOf((await of(store).put(owner, [entry], NOW))[0])
      const before = await of(store).find(owner, id)
      assert.deepEqual(await of(store).list(other), [])
      assert.equal(await of(store).find(other, id), null)
      assert.equal(await of(store).update(other, id, patch, NOW), null)
      assert.equal(await of(store).delete(other, id), false)
      const [put] = await of(store).put(other, [{ ...entry, ...patch, id }], NOW)
      assert.equal(put?.outcome, 'created')
      assert.deepEqual(await of(store).find(owner, id), before)
      await assert.rejects(of(store).put(MISSING, [entry], NOW))
    })
  })
}

/** JSON has no -0: a longitude of -0 is read back as 0, which is not a change. */
function withoutMinusZero<T>(item: T): T {
  return JSON.parse(JSON.stringify(item))
}

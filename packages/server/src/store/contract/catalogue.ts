import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GeofenceSettings, RouteSettings, SiteSettings } from '../../domain/place.ts'
import type { ObjectSettings } from '../../domain/tracked-object.ts'
import type { CatalogueStore, Store } from '../store.ts'
import {
  idOf,
  MISSING,
  NOW,
  newOrganization,
  type OpenStore,
  objectSettings,
  onStore,
} from './fixture.ts'

/** The parts of a catalogue store that do not depend on its kind. */
type Stored<Settings> = Settings & {
  id: number
  organization: number
  createdAt: number
  updatedAt: number
}
type Kind<Settings> = {
  name: string
  of(store: Store): CatalogueStore<Stored<Settings>, Settings>
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
const OBJECT: ObjectSettings = objectSettings('356938035643809', {
  vin: '1M8GDM9AXKP042788',
  engineHoursType: 'sensor',
  odometer: 123.456,
  odometerOffset: -20.5,
  address: 'Congress Ave',
})

export function catalogueContract(open: OpenStore): void {
  kindContract(open, {
    name: 'objects',
    of: (store) => store.objects,
    entry: OBJECT,
    patch: { plateNumber: 'TX 1' },
  })
  kindContract(open, {
    name: 'geofences',
    of: (store) => store.geofences,
    entry: GEOFENCE,
    patch: { coordinates: [[0.1, 0.2]] },
  })
  kindContract(open, {
    name: 'routes',
    of: (store) => store.routes,
    entry: ROUTE,
    patch: { deviation: null, points: [] },
  })
  kindContract(open, {
    name: 'sites',
    of: (store) => store.sites,
    entry: SITE,
    patch: { radius: 25 },
  })
}

function kindContract<Settings extends { name: string }>(
  open: OpenStore,
  { name, of, entry, patch }: Kind<Settings>,
): void {
  describe(name, () => {
    it(
      'gives back exactly what was put',
      onStore(open, async (store, reopen) => {
        const organization = await newOrganization(store)
        const [put] = await of(store).put(organization, [entry], NOW)
        const id = idOf(put)
        assert.deepEqual(put, { outcome: 'created', id })
        const expected = { id, organization, ...entry, createdAt: NOW, updatedAt: NOW }
        const again = of(await reopen())
        assert.deepEqual(await again.list(organization), [withoutMinusZero(expected)])
        assert.deepEqual(await again.find(organization, id), withoutMinusZero(expected))
        assert.equal(await again.find(organization, MISSING), null)
      }),
    )

    it(
      'matches an entry that was put before and changes what differs',
      onStore(open, async (store) => {
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
      }),
    )

    it(
      'matches by id before anything else, and takes an id that is free',
      onStore(open, async (store) => {
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
      }),
    )

    it(
      'gives another id where the wanted one is taken by another organization',
      onStore(open, async (store) => {
        const [first, second] = [await newOrganization(store), await newOrganization(store)]
        await of(store).put(first, [{ ...entry, id: 77 }], NOW)
        const [put] = await of(store).put(second, [{ ...entry, id: 77 }], NOW)
        assert.equal(put?.outcome, 'created')
        assert.ok(idOf(put) > 77)
        assert.equal((await of(store).list(first))[0]?.id, 77)
      }),
    )

    it(
      'refuses an id that cannot be one, and all that came with it',
      onStore(open, async (store) => {
        const organization = await newOrganization(store)
        for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
          await assert.rejects(of(store).put(organization, [{ ...entry, id }], NOW), RangeError)
        }
        assert.deepEqual(await of(store).list(organization), [])
      }),
    )

    it(
      'updates what the patch names',
      onStore(open, async (store) => {
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
      }),
    )

    it(
      'deletes once and never gives the id again by itself',
      onStore(open, async (store, reopen) => {
        const organization = await newOrganization(store)
        const id = idOf((await of(store).put(organization, [entry], NOW))[0])
        assert.equal(await of(store).delete(organization, id), true)
        assert.equal(await of(store).delete(organization, id), false)
        assert.equal(await of(store).find(organization, id), null)
        assert.ok(idOf((await of(await reopen()).put(organization, [entry], NOW))[0]) > id)
      }),
    )

    it(
      'of another organization are as if they were not there',
      onStore(open, async (store) => {
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
      }),
    )
  })
}

/** Which JSON does not have; a longitude of -0 is read back as 0, and is no change. */
function withoutMinusZero<T>(item: T): T {
  return JSON.parse(JSON.stringify(item))
}

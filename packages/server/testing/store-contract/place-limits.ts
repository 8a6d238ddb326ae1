import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type {
  GeofenceSettings,
  LonLat,
  RouteSettings,
  SiteSettings,
} from '../../src/base/domain/places/place.ts'
import type { PutOutcome } from '../../src/engine/store/item-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { atOnce, idOf, NOW, newOrganization, type StoreTest } from './fixture.ts'

const PLAIN = { description: null, color: null }
const path = (vertices: number) => Array.from({ length: vertices }, (_, i): LonLat => [i, i % 2])

function geofence(name: string, vertices = 3): GeofenceSettings {
  return { ...PLAIN, name, coordinates: path(vertices) }
}

/** Its vertices are those of two lines, and its waypoints. */
function route(name: string, vertices: number, waypoints: number): RouteSettings {
  const points = path(waypoints).map((location, order) => ({ location, order }))
  const coordinates = [path(2), path(vertices - 2)]
  return { ...PLAIN, name, deviation: null, points, coordinates }
}

function site(name: string): SiteSettings {
  return { name, description: null, icon: null, latitude: 1, longitude: 2, radius: null }
}

const outcomesOf = (put: PutOutcome[]) => put.map(({ outcome }) => outcome)

async function placesOf(store: Store, organization: number): Promise<number> {
  const kinds = [store.geofences, store.routes, store.sites]
  const lists = await Promise.all(kinds.map((kind) => kind.list(organization)))
  return lists.flat().length
}

export function placeLimitContract(it: StoreTest): void {
  describe('The limit of places', () => {
    it('counts geofences, routes and sites together, for each organization', async (store) => {
      const id = await newOrganization(store, 'Small', { maxPlaces: 3 })
      assert.deepEqual(outcomesOf(await store.sites.put(id, [site('A')], NOW)), ['created'])
      await store.routes.put(id, [route('B', 4, 2)], NOW)
      const entries = [geofence('C'), geofence('D'), geofence('C', 4)]
      const put = await store.geofences.put(id, entries, NOW)
      assert.deepEqual(outcomesOf(put), ['created', 'limit_of_places', 'updated'])
      assert.deepEqual(put[1], { outcome: 'limit_of_places', max: 3, count: 3 })
      const other = await newOrganization(store)
      assert.deepEqual(outcomesOf(await store.sites.put(other, [site('A')], NOW)), ['created'])
    })

    it('keeps existing places when it is lowered; a deletion frees one', async (store) => {
      const id = await newOrganization(store, 'Lowered', { maxPlaces: 3 })
      const sites = await store.sites.put(id, [site('A'), site('B'), site('C')], NOW)
      await store.organizations.update(id, { maxPlaces: 2 }, NOW)
      assert.equal(await placesOf(store, id), 3)
      const tryOne = async () => outcomesOf(await store.geofences.put(id, [geofence('D')], NOW))
      await store.sites.delete(id, idOf(sites[0]))
      assert.deepEqual(await tryOne(), ['limit_of_places'])
      await store.sites.delete(id, idOf(sites[1]))
      assert.deepEqual(await tryOne(), ['created'])
    })

    it('is exact for simultaneous creations', async (store, reopen) => {
      const id = await newOrganization(store, 'Shared', { maxPlaces: 10 })
      await atOnce(12, [store, await reopen()], async ({ sites, geofences, routes }, n) => {
        if (n % 3 === 0) await sites.put(id, [site(`S${n}`), site(`T${n}`)], NOW)
        else if (n % 3 === 1) await geofences.put(id, [geofence(`G${n}`)], NOW)
        else await routes.put(id, [route(`R${n}`, 4, 0)], NOW)
      })
      assert.equal(await placesOf(store, id), 10)
    })
  })

  describe('The limit of vertices', () => {
    it('counts rings, lines and waypoints', async (store) => {
      const id = await newOrganization(store, 'Small', { maxVertices: 20 })
      await store.geofences.put(id, [geofence('A', 8)], NOW)
      assert.deepEqual(await store.routes.put(id, [route('B', 10, 3)], NOW), [
        { outcome: 'limit_of_vertices', max: 20, count: 8 },
      ])
      assert.deepEqual(outcomesOf(await store.routes.put(id, [route('B', 10, 2)], NOW)), [
        'created',
      ])
      assert.deepEqual(outcomesOf(await store.sites.put(id, [site('C')], NOW)), ['created'])
      assert.deepEqual(outcomesOf(await store.geofences.put(id, [geofence('D')], NOW)), [
        'limit_of_vertices',
      ])
    })

    it('applies to a place that grows, and gives room back to others', async (store) => {
      const id = await newOrganization(store, 'Full', { maxVertices: 20 })
      const put = await store.geofences.put(id, [geofence('A', 10), geofence('B', 10)], NOW)
      const [a, b] = [idOf(put[0]), idOf(put[1])]
      const grown = await store.geofences.update(id, a, { coordinates: path(11) }, NOW)
      assert.deepEqual(grown, { outcome: 'limit_of_vertices', max: 20, count: 20 })
      assert.equal((await store.geofences.find(id, a))?.coordinates.length, 10)
      await store.organizations.update(id, { maxVertices: 5 }, NOW)
      await store.geofences.update(id, a, { name: 'Renamed' }, NOW)
      await store.geofences.update(id, a, { coordinates: path(9) }, NOW)
      const shown = await store.geofences.find(id, a)
      assert.deepEqual([shown?.name, shown?.coordinates.length], ['Renamed', 9])
      await store.organizations.update(id, { maxVertices: 20 }, NOW)
      const entries = [geofence('B', 4), geofence('C', 7), geofence('D', 3)]
      assert.deepEqual(outcomesOf(await store.geofences.put(id, entries, NOW)), [
        'updated',
        'created',
        'limit_of_vertices',
      ])
      await store.geofences.delete(id, b)
      assert.deepEqual(outcomesOf(await store.geofences.put(id, [geofence('D', 4)], NOW)), [
        'created',
      ])
    })

    it('is exact for simultaneous creations', async (store, reopen) => {
      const id = await newOrganization(store, 'Shared', { maxVertices: 50 })
      await atOnce(12, [store, await reopen()], ({ geofences, routes }, n) =>
        n % 3 === 0
          ? routes.put(id, [route(`R${n}`, 5, 2)], NOW)
          : geofences.put(id, [geofence(`G${n}`, 7)], NOW),
      )
      assert.equal(await placesOf(store, id), 7)
    })
  })
}

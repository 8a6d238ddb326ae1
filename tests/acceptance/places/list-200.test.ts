import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { DEPOT_RING } from '../harness/places.ts'

const fleet = await startFleet()

const TIMES = ['created_at', 'updated_at']
const FIELDS: Record<string, string[]> = {
  '/geofences': ['id', 'name', 'description', 'color', 'coordinates', ...TIMES],
  '/sites': ['id', 'name', 'description', 'icon', 'latitude', 'longitude', 'radius', ...TIMES],
}

describe('GET /geofences and /sites: 200', () => {
  /** The places as imported, in the order of the answer. */
  async function imported(path: string): Promise<Json[]> {
    const places = resultOf(await fleet.full[0]!.get(path)) as Json[]
    for (const { created_at, updated_at } of places) {
      assert.match(created_at, INSTANT)
      assert.match(updated_at, INSTANT)
    }
    for (const place of places) assert.deepEqual(Object.keys(place), FIELDS[path])
    assert.ok(places[0].id < places[1].id)
    return places.map(({ id, created_at, updated_at, ...rest }) => rest)
  }

  it('returns the polygons, by id', async () => {
    const [depot, oldTown, ...others] = await imported('/geofences')
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...depot, color: depot.color.toLowerCase() },
      { name: 'Depot', description: 'Main yard', color: '#ff8800', coordinates: DEPOT_RING },
    )
    assert.deepEqual([oldTown.name, oldTown.description, oldTown.color], ['Old town', null, null])
  })

  it('returns the circles, by id', async () => {
    assert.deepEqual(await imported('/sites'), [
      {
        ...{ name: 'Fuel', description: 'Card 7 only', icon: 'fuel' },
        ...{ latitude: 41.0098765, longitude: 28.9512345, radius: 75.5 },
      },
      {
        ...{ name: 'Customer', description: null, icon: null },
        ...{ latitude: 41.05, longitude: 29, radius: null },
      },
    ])
  })

  it('returns an empty array for an organization without any', async () => {
    const organization = fleet.take()
    for (const path of Object.keys(FIELDS)) {
      assert.deepEqual(resultOf(await organization.get(path)), [])
    }
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { DEPOT_RING } from '../harness/places.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const FIELDS = ['id', 'name', 'description', 'color', 'coordinates', 'created_at', 'updated_at']

const fleet = await sharedFleet()

describe('GET /geofences: 200', () => {
  it('returns the polygons as imported, by id', async () => {
    const geofences = resultOf(await fleet.full[0]!.get('/geofences'))
    assert.equal(geofences.length, 2)
    for (const geofence of geofences) {
      assert.deepEqual(Object.keys(geofence), FIELDS)
      assert.match(geofence.created_at, INSTANT)
      assert.match(geofence.updated_at, INSTANT)
    }
    const [depot, oldTown] = geofences
    assert.ok(depot.id < oldTown.id)
    assert.deepEqual(
      [depot.name, depot.description, depot.color.toLowerCase()],
      ['Depot', 'Main yard', '#ff8800'],
    )
    assert.deepEqual(depot.coordinates, DEPOT_RING)
    assert.deepEqual([oldTown.name, oldTown.description, oldTown.color], ['Old town', null, null])
  })

  it('returns an empty array for an organization without geofences', async () => {
    assert.deepEqual(resultOf(await fleet.take().get('/geofences')), [])
  })
})

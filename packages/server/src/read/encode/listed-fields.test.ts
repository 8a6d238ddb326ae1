import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runAtOnce } from '../../base/domain/common/steps.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import { GEOFENCE_FIELDS, ROUTE_FIELDS } from './listed-fields.ts'
import { encodeListed, writeListed } from './listed-kinds.ts'
import { rowOf } from './row-fields.ts'

const STORED = { id: 3, organization: 1, createdAt: 0, updatedAt: Date.UTC(2026, 10, 20, 10) }
const TIMES = { created_at: '1970-01-01T00:00:00.000Z', updated_at: '2026-11-20T10:00:00.000Z' }
const NAME = 'Depot "A"\n🚚'
const CORNER: LonLat = [-97.123456789, 30.00000004]
const SHOWN = [-97.1234568, 30]

describe('An encoded place', () => {
  it('is long, with texts of a user that look like its parts', () => {
    const text = '"coordinates":[],"points":[]'
    const coordinates = Array.from({ length: 1_234 }, (_, i): LonLat => [i / 10, -0.123456789])
    const plain = { ...STORED, name: text, description: text, color: null }
    const geofence = { ...plain, coordinates }
    assert.equal(
      encodeListed('geofences', geofence),
      JSON.stringify(rowOf(GEOFENCE_FIELDS)(geofence, 'km')),
    )
    const points = coordinates.map((location, order) => ({ location, order }))
    const route = { ...plain, deviation: null, points, coordinates: [coordinates, []] }
    assert.equal(encodeListed('routes', route), JSON.stringify(rowOf(ROUTE_FIELDS)(route, 'km')))
  })

  it('is the same from its stored texts', () => {
    const plain = { ...STORED, name: NAME, description: null, color: null, deviation: null }
    const short = Array.from({ length: 9_876 }, (_, i): LonLat => [i / 1e7, -i / 100])
    const rings = [short, [...short, CORNER, ...short], [...short, [1e-7, -0]], [[-3, 40]]]
    for (const coordinates of rings as LonLat[][]) {
      const stored = { ...plain, coordinates: JSON.stringify(coordinates) }
      const encoded = encodeListed('geofences', { ...plain, coordinates })
      assert.equal(runAtOnce(writeListed('geofences', stored)), encoded)
      const places = coordinates.map((location, order) => ({ location, order }))
      const others = places.map(({ location, order }) => ({ order, location, note: '{"[' }))
      for (const points of [places, others, [...places, ...others], []]) {
        const lines = [coordinates, short]
        const texts = { points: JSON.stringify(points), coordinates: JSON.stringify(lines) }
        const route = encodeListed('routes', { ...plain, points, coordinates: lines })
        assert.equal(runAtOnce(writeListed('routes', { ...plain, ...texts })), route)
      }
    }
  })

  it('is not parsed where its stored text has the form of answers', () => {
    const coordinates = '[[-3.7,40.4],[-3.6,40.4],[-3.6]BROKEN]'
    const stored = { ...STORED, name: NAME, description: null, color: null, coordinates }
    assert.ok(runAtOnce(writeListed('geofences', stored)).includes(`"coordinates":${coordinates},`))
  })

  it('is a geofence with its fields in the documented order', () => {
    const geofence = { ...STORED, name: NAME, description: null, color: '#ff0000' }
    assert.equal(
      encodeListed('geofences', { ...geofence, coordinates: [CORNER, [0, 0], CORNER] }),
      JSON.stringify({
        id: 3,
        name: NAME,
        description: null,
        color: '#ff0000',
        coordinates: [SHOWN, [0, 0], SHOWN],
        ...TIMES,
      }),
    )
  })

  it('is a route with its waypoints and lines', () => {
    const route = { ...STORED, name: NAME, description: 'x', color: null, deviation: 50.5 }
    assert.equal(
      encodeListed('routes', {
        ...route,
        points: [{ location: CORNER, order: 0 }],
        coordinates: [[CORNER, [1, 2]], []],
      }),
      JSON.stringify({
        id: 3,
        name: NAME,
        description: 'x',
        color: null,
        deviation: 50.5,
        points: [{ location: SHOWN, order: 0 }],
        coordinates: [[SHOWN, [1, 2]], []],
        ...TIMES,
      }),
    )
  })

  it('is a site with its latitude first', () => {
    const site = { ...STORED, name: NAME, description: null, icon: null, radius: null }
    assert.equal(
      encodeListed('sites', { ...site, longitude: CORNER[0], latitude: CORNER[1] }),
      JSON.stringify({
        id: 3,
        name: NAME,
        description: null,
        icon: null,
        latitude: 30,
        longitude: -97.1234568,
        radius: null,
        ...TIMES,
      }),
    )
  })
})

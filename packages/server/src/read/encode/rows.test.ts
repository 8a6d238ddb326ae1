import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runAtOnce } from '../../base/domain/common/steps.ts'
import type { Geofence, LonLat, Route } from '../../base/domain/places/place.ts'
import type { TextsOf } from '../../engine/store/item-store.ts'
import { MAP_FORMATS } from '../formats/formats.ts'
import { polygonOf } from '../formats/geojson.ts'
import { GEOFENCE_FIELDS, ROUTE_FIELDS } from './listed-fields.ts'
import { listedForm } from './listed-kinds.ts'
import { rowOf, tableOf } from './row-fields.ts'
import { type LongRowForm, rowForm } from './rows.ts'

const STORED = { id: 3, organization: 1, createdAt: 0, updatedAt: 1, description: null }
const PLAIN = { ...STORED, name: 'Depot "A",\n🚚', color: '#fff' }
const RING: LonLat[] = [
  [-3.7, 40.4],
  [-3.6, 40.4],
  [-3.123456789, 40.5],
]

it('A long row has the text that its values have in each format', () => {
  for (const format of MAP_FORMATS) {
    for (const coordinates of [RING, [...RING, RING[0]!]]) {
      const ofValues = rowForm(format, {
        ...tableOf(GEOFENCE_FIELDS),
        row: () => rowOf(GEOFENCE_FIELDS)({ ...PLAIN, coordinates }, 'km'),
        geometry: (row) => polygonOf(row.coordinates as LonLat[]),
        inGeometry: ['coordinates'],
      })
      const { write, ...around } = listedForm('geofences', format) as LongRowForm<TextsOf<Geofence>>
      const stored = { ...PLAIN, coordinates: JSON.stringify(coordinates) }
      const { row, ...aroundValues } = ofValues
      assert.equal(runAtOnce(write(stored)), row(undefined))
      assert.deepEqual(around, aroundValues)
    }
    const [points, lines] = [[{ location: RING[2]!, order: 1 }], [RING, RING]]
    const route = { ...PLAIN, deviation: 50 }
    const ofValues = rowForm(format, {
      ...tableOf(ROUTE_FIELDS),
      row: () => rowOf(ROUTE_FIELDS)({ ...route, points, coordinates: lines }, 'km'),
      geometry: ({ coordinates }) => ({ type: 'MultiLineString', coordinates }),
      inGeometry: ['coordinates'],
    })
    const texts = { points: JSON.stringify(points), coordinates: JSON.stringify(lines) }
    const { write } = listedForm('routes', format) as LongRowForm<TextsOf<Route>>
    assert.equal(runAtOnce(write({ ...route, ...texts })), ofValues.row(undefined))
  }
})

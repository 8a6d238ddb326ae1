import assert from 'node:assert/strict'
import { it } from 'node:test'
import { geofence, objectListItem, route, site } from '../documentation/item-schemas.ts'
import { stop, trip, visit } from '../documentation/record-schemas.ts'
import { day } from '../documentation/report-schemas.ts'
import {
  DAY_COLUMNS,
  GEOFENCE_KIND,
  objectKind,
  RECORD_COLUMNS,
  ROUTE_KIND,
  SITE_KIND,
} from './row-kinds.ts'

it('the columns of rows are their documented fields', () => {
  const documented = { geofence, route, site, trip, stop, visit, day }
  const columns: Record<keyof typeof documented, readonly string[]> = {
    geofence: GEOFENCE_KIND.columns,
    route: ROUTE_KIND.columns,
    site: SITE_KIND.columns,
    trip: RECORD_COLUMNS.trips,
    stop: RECORD_COLUMNS.stops,
    visit: RECORD_COLUMNS.visits,
    day: DAY_COLUMNS,
  }
  for (const [name, schema] of Object.entries(documented)) {
    const fields = Object.keys(schema.properties)
    assert.deepEqual(columns[name as keyof typeof documented], fields, name)
  }
})

it('the columns of objects are their fields, with VIN and plate number', () => {
  const fields = Object.keys(objectListItem.properties).flatMap((name) =>
    name === 'vehicle_data' ? ['vin', 'plate_number'] : [name],
  )
  assert.deepEqual(objectKind('km').columns, fields)
})

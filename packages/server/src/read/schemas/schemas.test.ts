import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { isFieldName } from '../../base/domain/attributes/attribute-catalogue.ts'
import { QUALITY_FIELDS } from '../formats/position-format.ts'
import { named } from './schemas.ts'

/** The tables of the contract: every field with its type, in order. */
const TABLES = {
  Object: `id integer, name string, ident string, time_server date-time?, time_device date-time?,
    time_last_idle date-time?, time_last_move date-time?, time_last_stop date-time?,
    engine_hours number?, engine_hours_type string, odometer number?, odometer_type string,
    vehicle_data object, mileage number?, address string?, accuracy object, created_at date-time`,
  VehicleData: 'vin string?, plate_number string?',
  Accuracy: `device_timezone string, maximum_hdop number, minimum_difference_point number,
    minimum_gps_level number, idle_speed_threshold number, minimum_moving_speed number,
    distance_source string, stop_detection_method string`,
  Position: `id integer, ident string, name string, latitude number, longitude number,
    altitude number?, angle number?, speed number?, time_server date-time, time_device date-time,
    engine_hours number?, odometer number?, mileage number?, address string?`,
  LatestPosition: `id integer, ident string, name string, latitude number?, longitude number?,
    altitude number?, angle number?, speed number?, time_server date-time?, time_device date-time?,
    engine_hours number?, odometer number?, mileage number?, address string?`,
  Geofence: `id integer, name string, description string?, color string?, coordinates array,
    created_at date-time, updated_at date-time`,
  Route: `id integer, name string, description string?, color string?, deviation number?,
    points array, coordinates array, created_at date-time, updated_at date-time`,
  Waypoint: 'location array, order integer',
  Site: `id integer, name string, description string?, icon string?, latitude number,
    longitude number, radius number?, created_at date-time, updated_at date-time`,
  Error: 'statusCode integer, errorCode string, message string, timestamp date-time',
}

test('fields, types and their order match the contract', () => {
  for (const [name, table] of Object.entries(TABLES)) {
    assert.deepEqual(fieldsOf(name as keyof typeof TABLES), table.split(/,\s+/), name)
  }
})

test('an object detail is the list item followed by the location', () => {
  assert.deepEqual(fieldsOf('ObjectDetail'), [
    ...fieldsOf('Object'),
    ...['latitude', 'longitude', 'altitude', 'angle', 'speed'].map((name) => `${name} number?`),
  ])
})

const CURRENT = ['attributes', 'attributes_at']
/** Records, days and scopes have attributes too. */
const NOT_CURRENT = ['start_time', 'date', 'from', 'window_share']

test('no column of a field can be one of an attribute', () => {
  const schemas = Object.entries(named as unknown as Record<string, TObject>)
  const fields = (name: string) => Object.keys(Object.fromEntries(schemas)[name]!.properties)
  // GeoJSON has a property for each current attribute next to all other members of the row.
  const withCurrent = schemas.flatMap(([name, { properties = {} }]) =>
    'attributes' in properties && !NOT_CURRENT.some((each) => each in properties) ? [name] : [],
  )
  assert.ok(withCurrent.length >= 4, withCurrent.join())
  for (const name of [...withCurrent, 'VehicleData', 'ExactCounters']) {
    assert.deepEqual(
      fields(name).filter((field) => !isFieldName(field)),
      [],
      name,
    )
  }
  // A record has a column for each part of an attribute.
  for (const name of ['Trip', 'Stop', 'Day']) {
    assert.ok(!fields(name).some((field) => field.includes('__')), name)
  }
})

/** The fields that only some answers have. */
const OPTIONAL: Record<string, readonly string[]> = {
  Position: [...QUALITY_FIELDS, 'exact', 'attributes'],
  LatestPosition: [...QUALITY_FIELDS, 'exact', ...CURRENT],
  ...{ ObjectDetail: CURRENT, ObjectState: CURRENT },
  ...{ Trip: ['attributes'], Stop: ['attributes'], Day: ['value', 'attributes'] },
  Error: ['progress'],
  AttributeSummary: [
    ...['first', 'last', 'min', 'max', 'gain'],
    ...['used', 'filled', 'drained', 'values'],
  ],
}

test('every field is described, and required unless `include` asks for it', () => {
  for (const [name, schema] of Object.entries(named as unknown as Record<string, TObject>)) {
    if (!('properties' in schema)) continue
    const fields = Object.keys(schema.properties)
    const optional = OPTIONAL[name] ?? []
    assert.deepEqual([...(schema.required ?? []), ...optional], fields, name)
    for (const [field, value] of Object.entries(schema.properties)) {
      assert.ok('description' in value, `${name}.${field}`)
    }
  }
})

/** `name type` of each field; a date-time is named by its format, and `?` marks nullable fields. */
function fieldsOf(name: keyof typeof TABLES | 'ObjectDetail'): string[] {
  const { properties, required } = named[name] as unknown as TObject
  const fields = Object.entries(properties).filter(([field]) => required.includes(field))
  return fields.map(([field, value]) => {
    const { format, type } = value as { format?: string; type: string | string[] }
    const [kind, isNull] = [type].flat()
    return `${field} ${format ?? kind}${isNull === 'null' ? '?' : ''}`
  })
}

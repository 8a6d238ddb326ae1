import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, INSTANT, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, NAMES, positionRow } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'

const fleet = await startFleet()

const FIELDS = [
  ...['id', 'name', 'ident', 'time_server', 'time_device'],
  ...['time_last_idle', 'time_last_move', 'time_last_stop'],
  ...['engine_hours', 'engine_hours_type', 'odometer', 'odometer_type'],
  ...['vehicle_data', 'mileage', 'address', 'accuracy', 'created_at'],
]

describe('GET /objects: 200', async () => {
  const organization = fleet.full[0]!
  const answer = await organization.get('/objects')
  const objects = resultOf(answer)
  const { van, truck, longHaul, silent } = organization.objects

  it('returns every object of the organization by id, ascending', () => {
    assert.deepEqual(
      objects.map((object: { id: number }) => object.id),
      [van, truck, longHaul, silent],
    )
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  })

  it('always returns all documented fields in the documented order; Answers: null or absent', () => {
    for (const object of objects) {
      assert.deepEqual(Object.keys(object), FIELDS)
      assert.deepEqual(Object.keys(object.vehicle_data), ['vin', 'plate_number'])
      assert.deepEqual(Object.keys(object.accuracy), Object.keys(objects[0].accuracy))
      assert.match(object.created_at, INSTANT)
    }
  })

  it('returns the reported values and the settings; Answers: `mileage` of the last trip while the object is parked', () => {
    const last = FIXES.van.at(-1)!
    const { created_at: _, ...rest } = objects[0]
    assert.deepEqual(rest, {
      id: van,
      name: NAMES.van,
      ident: IDENTS.van,
      time_server: last.time_server,
      time_device: last.time_device,
      time_last_idle: FIXES.van[8]!.time_device,
      time_last_move: FIXES.van[10]!.time_device,
      time_last_stop: last.time_device,
      engine_hours: 1234.751,
      engine_hours_type: 'sensor',
      odometer: 98775.33,
      odometer_type: 'sensor',
      vehicle_data: { vin: 'WDB9066331S123456', plate_number: '34 ABC 123' },
      mileage: 9.9,
      address: 'Kumbaracı Yokuşu No:9, Beyoğlu',
      accuracy: {
        device_timezone: 'Europe/Istanbul',
        maximum_hdop: 5.5,
        minimum_difference_point: 15,
        minimum_gps_level: 4,
        idle_speed_threshold: 2.5,
        minimum_moving_speed: 6,
        distance_source: 'gps',
        stop_detection_method: 'ignition',
      },
    })
  })

  it("returns null for unknown values, and defaults; Answers: an object's settings where none are given", () => {
    const { created_at: _, ...rest } = objects[3]
    assert.deepEqual(rest, {
      id: silent,
      name: NAMES.silent,
      ident: IDENTS.silent,
      time_server: null,
      time_device: null,
      time_last_idle: null,
      time_last_move: null,
      time_last_stop: null,
      engine_hours: null,
      engine_hours_type: 'system',
      odometer: null,
      odometer_type: 'system',
      vehicle_data: { vin: null, plate_number: null },
      mileage: null,
      address: null,
      accuracy: {
        device_timezone: 'UTC',
        maximum_hdop: 10,
        minimum_difference_point: 0,
        minimum_gps_level: 0,
        idle_speed_threshold: 3,
        minimum_moving_speed: 5,
        distance_source: 'gps',
        stop_detection_method: 'speed',
      },
    })
  })

  it('falls back to the counters and the address of the object itself', () => {
    const { engine_hours, odometer, mileage, address } = objects[1]
    assert.deepEqual(
      { engine_hours, odometer, mileage, address },
      { engine_hours: 100.123, odometer: 2000.13, mileage: 7.78, address: 'Circular Quay' },
    )
  })
})

describe('GET /objects with filters: 200', () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  const list = (query: string) => organization.get(`/objects?${query}`)
  const found = async (query: string) => (resultOf(await list(query)) as Json[]).map(({ id }) => id)

  it('finds an object by its ident, vin or plate number, each exactly', async () => {
    assert.deepEqual(await found(`ident=${IDENTS.truck}`), [truck])
    assert.deepEqual(await found(`ident=${IDENTS.truck.slice(1)}`), [])
    assert.deepEqual(await found('vin=WDB9066331S123456'), [van])
    assert.deepEqual(await found('plate_number=34%20ABC%20123'), [van])
    assert.deepEqual(await found(`ident=${IDENTS.truck}&plate_number=34%20ABC%20123`), [])
  })

  it('finds a text in the name, the ident, the vin or the plate number', async () => {
    assert.deepEqual(await found('q=abc%2012'), [van])
    assert.deepEqual(await found('q=35'), [van, longHaul, silent])
    assert.deepEqual(await found('q=kamyon%20%C3%B6'), [truck])
  })

  it('refuses a filter that is given twice: 400', async () => {
    for (const name of ['ident', 'vin', 'plate_number', 'q']) {
      const answer = await list(`${name}=a&${name}=b`)
      assertRefused(answer, 400, 'PUBLIC.400_001', new RegExp(name))
    }
  })

  it('shows an object as the whole list does', async () => {
    const whole = resultOf(await list('')) as Json[]
    assert.deepEqual(resultOf(await list('q=silent')), whole.slice(-1))
  })
})

describe('GET /objects with a filter and If-None-Match: 304', () => {
  it('has an entity tag of its own for each filter', async () => {
    const organization = fleet.take()
    const { headers } = await organization.get('/objects?q=van')
    const tag = String(headers.etag)
    const again = (path: string) =>
      organization.get(path, { headers: { 'If-None-Match': tag } }).then(({ status }) => status)
    assert.equal(await again('/objects?q=van'), 304)
    assert.equal(await again('/objects?q=silent'), 200)
    assert.equal(await again('/objects'), 200)
  })
})

describe('GET /objects/{id}: 200', async () => {
  const organization = fleet.full[0]!
  const { van, truck, silent } = organization.objects
  const list = resultOf(await organization.get('/objects'))

  it('returns the fields of the list item, then the present position', async () => {
    const detail = resultOf(await organization.get(`/objects/${van}`))
    const { latitude, longitude, altitude, angle, speed } = positionRow(FIXES.van.at(-1)!, van)
    const expected = { ...list[0], latitude, longitude, altitude, angle, speed }
    assert.deepEqual(detail, expected)
    assert.deepEqual(Object.keys(detail), Object.keys(expected))
  })

  it('returns null for fields that the last fix did not have', async () => {
    const detail = resultOf(await organization.get(`/objects/${truck}`))
    const { latitude, longitude, altitude, angle, speed } = detail
    assert.deepEqual(
      { latitude, longitude, altitude, angle, speed },
      { latitude: -33.8587844, longitude: 151.2152967, altitude: null, angle: null, speed: 48.28 },
    )
  })

  it('returns nulls for an object that has never reported', async () => {
    const detail = resultOf(await organization.get(`/objects/${silent}`))
    const nowhere = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }
    assert.deepEqual(detail, { ...list[3], ...nowhere })
  })
})

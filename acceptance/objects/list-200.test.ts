import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { FIXES, IDENTS, NAMES } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const FIELDS = [
  ...['id', 'name', 'ident', 'time_server', 'time_device'],
  ...['time_last_idle', 'time_last_move', 'time_last_stop'],
  ...['engine_hours', 'engine_hours_type', 'odometer', 'odometer_type'],
  ...['vehicle_data', 'mileage', 'address', 'accuracy', 'created_at'],
]

const fleet = await sharedFleet()

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

  it('has no current coordinates', () => {
    for (const object of objects) assert.equal('latitude' in object, false)
  })
})

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import type { Organization } from '../harness/organization.ts'
import { ROUTE_LINES } from '../harness/places.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 3, plain: 12 })

const result = async (organization: Organization, path: string) =>
  resultOf(await organization.get(path))

async function importPositions(organization: Organization, columns: string, ...rows: string[]) {
  const file = join(temporaryFolder(), 'positions.csv')
  writeFileSync(file, [columns, ...rows, ''].join('\n'))
  const summary = await fleet.json('import', 'positions', '--org', String(organization.id), file)
  assert.equal(summary.accepted, rows.length)
}

/** Makes an object show the counters of its device. */
async function trustSensors(organization: Organization, object: number) {
  const types = ['--odometer-type', 'sensor', '--engine-hours-type', 'sensor']
  const org = ['--org', String(organization.id)]
  await fleet.json('objects', 'update', String(object), ...org, ...types)
}

describe('Answers: `/positions/latest`', () => {
  it('has one Position row per object, in the requested order, without unknown ids', async () => {
    const organization = fleet.take()
    const { van, truck, silent } = organization.objects
    const foreign = fleet.full[0]!.objects.van
    const rows = await result(
      organization,
      `/positions/latest?ids=${silent},${foreign},${truck},999999999,${van}`,
    )
    assert.deepEqual(
      rows.map((row: { id: number }) => row.id),
      [silent, truck, van],
    )
    const historyRow = positionRow(FIXES.van.at(-1)!, van)
    assert.deepEqual(rows[2], historyRow)
    for (const row of rows) assert.deepEqual(Object.keys(row), Object.keys(historyRow))
  })
})

describe('Answers: null or absent', () => {
  it('has every documented field, and objects for nested values', async () => {
    const organization = fleet.full[0]!
    const [van, ...others] = await result(organization, '/objects')
    for (const other of others) {
      assert.deepEqual(Object.keys(other), Object.keys(van))
      assert.deepEqual(Object.keys(other.vehicle_data), ['vin', 'plate_number'])
      assert.deepEqual(Object.keys(other.accuracy), Object.keys(van.accuracy))
    }
    for (const path of ['/geofences', '/routes', '/sites']) {
      const [first, second] = await result(organization, path)
      assert.deepEqual(Object.keys(second), Object.keys(first))
      assert.equal(second.description, null)
    }
  })
})

describe("Answers: a history row's `address` and counters", () => {
  it('are those of the fix, otherwise those of the object', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const rows = await result(organization, `/objects/${van}/positions?${WHOLE_RANGE}`)
    assert.deepEqual(
      rows.slice(0, 5).map((row: { address: string }) => row.address),
      [1, 9, 9, 9, 5].map((number) => `Kumbaracı Yokuşu No:${number}, Beyoğlu`),
    )
    assert.deepEqual(
      rows.slice(0, 2).map((row: { odometer: number }) => row.odometer),
      [98765.43, 98766.33],
    )
    const [row] = await result(organization, `/objects/${truck}/positions?${WHOLE_RANGE}`)
    const { engine_hours, odometer, mileage, address } = row
    assert.deepEqual(
      { engine_hours, odometer, mileage, address },
      { engine_hours: 100.123, odometer: 2000.13, mileage: 7.78, address: 'Circular Quay' },
    )
  })
})

describe('Answers: datetimes', () => {
  it('are always UTC with milliseconds', async () => {
    const organization = fleet.take()
    const ident = IDENTS.silent
    const id = organization.objects.silent
    await importPositions(
      organization,
      'ident,time_device,time_server,latitude,longitude',
      `${ident},2024-07-01T00:30:00+02:00,2024-07-01T00:30:00.5+02:00,1,1`,
      `${ident},1719790200,1719790200250,2,2`,
      `${ident},2024-07-01 05:00:00,2024-07-01T05:00Z,3,3`,
    )
    const rows = await result(
      organization,
      `/objects/${id}/positions?from_time=2024-06-30&to_time=2024-07-01`,
    )
    assert.deepEqual(
      rows.map((row: Json) => [row.time_device, row.time_server]),
      [
        ['2024-06-30T22:30:00.000Z', '2024-06-30T22:30:00.500Z'],
        ['2024-06-30T23:30:00.000Z', '2024-06-30T23:30:00.250Z'],
        ['2024-07-01T05:00:00.000Z', '2024-07-01T05:00:00.000Z'],
      ],
    )
    const [object] = await result(organization, '/objects')
    for (const [field, value] of Object.entries(object)) {
      if (field.startsWith('time_') || field.endsWith('_at')) assert.match(String(value), INSTANT)
    }
  })
})

describe('Answers: units', () => {
  const organization = fleet.full[2]!
  const { van, truck } = organization.objects

  it('are miles and miles per hour in an organization that uses miles', async () => {
    const before = await result(organization, `/objects/${van}`)
    await fleet.run('org', 'update', String(organization.id), '--distance-unit', 'mi')
    for (const name of ['van', 'truck'] as const) {
      const path = `/objects/${organization.objects[name]}/positions?${WHOLE_RANGE}`
      assert.deepEqual(
        await result(organization, path),
        FIXES[name].map((fix) => positionRow(fix, organization.objects[name], 'mi')),
      )
    }
    const rows = await result(organization, `/positions/latest?ids=${van},${truck}`)
    assert.deepEqual(rows[0], positionRow(FIXES.van.at(-1)!, van, 'mi'))
    assert.equal(rows[1].speed, 30)
    const detail = await result(organization, `/objects/${van}`)
    assert.equal(detail.odometer, 61376.15)
    assert.equal(detail.mileage, 6.15)
    assert.deepEqual(
      { ...detail, odometer: 0, mileage: 0, speed: 0 },
      { ...before, odometer: 0, mileage: 0, speed: 0 },
    )
  })

  it('leave settings in km/h and metres', async () => {
    const [object] = await result(organization, '/objects')
    assert.equal(object.accuracy.idle_speed_threshold, 2.5)
    assert.equal(object.accuracy.minimum_moving_speed, 6)
    assert.equal(object.accuracy.minimum_difference_point, 15)
    const [site] = await result(organization, '/sites')
    assert.equal(site.radius, 75.5)
    const [route] = await result(organization, '/routes')
    assert.equal(route.deviation, 120.5)
  })
})

describe('Answers: rounding, at output alone', () => {
  it('is 7 decimals for coordinates, 3 for engine hours, 2 for the rest', async () => {
    const organization = fleet.take()
    const id = organization.objects.silent
    await trustSensors(organization, id)
    await importPositions(
      organization,
      'ident,time_device,latitude,longitude,altitude,angle,speed,engine_hours,odometer',
      `${IDENTS.silent},2024-07-01T00:00:00Z,-0.00000004,0.00000006,-0.004,0.004,0.004,0.0004,0.004`,
      `${IDENTS.silent},2024-07-01T00:01:00Z,1.23456784,-179.12345678,-12.3456,359.994,0,10.12349,1.2298`,
      // The trip begins; its length is 0.0051 km.
      `${IDENTS.silent},2024-07-01T00:02:00Z,1.23456784,-179.12345678,-12.3456,359.994,99.9949,,1.2349`,
    )
    const rows = await result(
      organization,
      `/objects/${id}/positions?from_time=2024-07-01&to_time=2024-07-01`,
    )
    const numbers = rows.map((row: Json) => [
      ...[row.latitude, row.longitude, row.altitude, row.angle, row.speed],
      ...[row.engine_hours, row.odometer, row.mileage],
    ])
    assert.deepEqual(numbers, [
      [0, 0.0000001, 0, 0, 0, 0, 0, 0],
      [1.2345678, -179.1234568, -12.35, 359.99, 0, 10.123, 1.23, 1.23],
      [1.2345678, -179.1234568, -12.35, 359.99, 99.99, 10.123, 1.23, 0.01],
    ])
  })

  it('keeps a stored value exact when the unit changes later', async () => {
    const organization = fleet.take()
    const id = organization.objects.silent
    await trustSensors(organization, id)
    await importPositions(
      organization,
      'ident,time_device,latitude,longitude,speed,odometer',
      // Exactly 100 mph: rounded to 160.93 first, the answer would be 99.99 or 100.
      `${IDENTS.silent},2024-07-01T00:00:00Z,1,1,160.9344,1609.344`,
    )
    await fleet.run('org', 'update', String(organization.id), '--distance-unit', 'mi')
    const [row] = await result(
      organization,
      `/objects/${id}/positions?from_time=2024-07-01&to_time=2024-07-01`,
    )
    assert.deepEqual([row.speed, row.odometer], [100, 1000])
  })

  it('writes numbers plainly, without an exponent or a negative zero', async () => {
    const organization = fleet.take()
    const id = organization.objects.silent
    await importPositions(
      organization,
      'ident,time_device,latitude,longitude,altitude',
      `${IDENTS.silent},2024-07-01T00:00:00Z,-0.00000001,0.0000001,-0.001`,
    )
    const answer = await organization.get(
      `/objects/${id}/positions?from_time=2024-07-01&to_time=2024-07-01`,
    )
    const [row] = resultOf(answer)
    assert.deepEqual([row.longitude, row.altitude], [1e-7, 0])
    assert.doesNotMatch(answer.text, /:-0[,}]/)
  })
})

describe('Answers: `mileage`', () => {
  it('is that of the last trip while the object is parked', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    await importPositions(
      organization,
      'ident,time_device,latitude,longitude,speed,ignition',
      `${IDENTS.van},2024-05-06T12:00:00Z,41.5,28.5,0,false`,
    )
    const detail = await result(organization, `/objects/${van}`)
    assert.deepEqual([detail.time_device, detail.mileage], ['2024-05-06T12:00:00.000Z', 9.9])
  })
})

describe("Answers: an object's settings where none are given", () => {
  it('are the defaults', async () => {
    const [, , , silent] = await result(fleet.full[0]!, '/objects')
    assert.deepEqual(silent.accuracy, {
      device_timezone: 'UTC',
      maximum_hdop: 10,
      minimum_difference_point: 0,
      minimum_gps_level: 0,
      idle_speed_threshold: 3,
      minimum_moving_speed: 5,
      distance_source: 'gps',
      stop_detection_method: 'speed',
    })
    assert.deepEqual([silent.engine_hours_type, silent.odometer_type], ['system', 'system'])
  })
})

describe('Answers: order of lists', () => {
  it('is by id, ascending and complete', async () => {
    const organization = fleet.take()
    const file = join(temporaryFolder(), 'objects.csv')
    const rows = Array.from({ length: 1500 }, (_, i) => `${9_000_000 - i},added-${i},Added ${i}`)
    writeFileSync(file, ['id,ident,name', ...rows, ''].join('\n'))
    const summary = await fleet.json('import', 'objects', '--org', String(organization.id), file)
    assert.equal(summary.accepted, 1500)
    const answer = await organization.get('/objects?limit=10&page=2')
    const ids = resultOf(answer).map((object: { id: number }) => object.id)
    assert.equal(ids.length, 1504)
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => a - b),
    )
    assert.equal(answer.headers.link, undefined)
  })
})

describe('Answers: route `coordinates`', () => {
  it('are lines of positions of two numbers, even for a single line', async () => {
    const [round, shuttle] = await result(fleet.full[1]!, '/routes')
    assert.deepEqual(round.coordinates, ROUTE_LINES)
    assert.deepEqual(shuttle.coordinates, [ROUTE_LINES[0]])
  })
})

describe('Answers: ids', () => {
  it('are unique in the deployment', async () => {
    const lists = await Promise.all(fleet.full.map((each) => result(each, '/objects')))
    const ids = lists.flat().map((object: { id: number }) => object.id)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('cannot be taken from another organization by an import that names them', async () => {
    const organization = fleet.take()
    const wanted = fleet.full[0]!.objects.van
    const file = join(temporaryFolder(), 'objects.csv')
    writeFileSync(file, `id,ident,name\n${wanted},mine,Mine\n`)
    await fleet.run('import', 'objects', '--org', String(organization.id), file)
    const mine = await result(organization, '/objects')
    assert.equal(
      mine.some((object: { id: number }) => object.id === wanted),
      false,
    )
    assert.equal((await result(fleet.full[0]!, `/objects/${wanted}`)).ident, IDENTS.van)
  })

  it('have unique idents within an organization', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const org = ['--org', String(organization.id)]
    const refused = await fleet.run(
      'objects',
      'update',
      String(truck),
      ...org,
      '--ident',
      IDENTS.van,
    )
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, new RegExp(IDENTS.van))
    const objects = await result(organization, '/objects')
    assert.deepEqual(
      objects.slice(0, 2).map((object: Json) => [object.id, object.ident]),
      [
        [van, IDENTS.van],
        [truck, IDENTS.truck],
      ],
    )
  })
})

describe('Answers: compression and caching', () => {
  it('has weak entity tags on lists and detail, and none on positions', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    for (const path of ['/objects', `/objects/${van}`, '/geofences', '/routes', '/sites']) {
      const answer = await organization.get(path)
      assert.match(answer.headers.etag!, /^W\/"/)
      assert.equal(answer.headers['cache-control'], 'private, no-cache')
    }
    for (const path of [
      `/objects/${van}/positions?${WHOLE_RANGE}`,
      `/positions/latest?ids=${van}`,
    ]) {
      const answer = await organization.get(path)
      assert.equal(answer.headers['cache-control'], 'private, no-cache')
    }
  })

  it('adds 1 to the quota for a 304 of the detail too', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '10')
    const { etag } = (await organization.get(`/objects/${van}`)).headers
    const headers = { 'if-none-match': etag! }
    assert.equal((await organization.get(`/objects/${van}`, { headers })).status, 304)
    const latest = await organization.get(`/positions/latest?ids=${van}`)
    assert.equal(latest.headers['x-quota-remaining'], '7')
  })
})

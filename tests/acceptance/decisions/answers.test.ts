import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { importRows } from '../harness/import-rows.ts'
import type { Organization } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 1, plain: 4 })

const result = async (organization: Organization, path: string) =>
  resultOf(await organization.get(path))

const importPositions = (organization: Organization, columns: string, ...rows: string[]) =>
  importRows(fleet, organization, 'positions', columns, rows)

/** Makes an object show the counters of its device. */
async function trustSensors(organization: Organization, object: number) {
  const types = ['--odometer-type', 'sensor', '--engine-hours-type', 'sensor']
  const org = ['--org', String(organization.id)]
  await fleet.json('objects', 'update', String(object), ...org, ...types)
}

describe('Answers: units', () => {
  const organization = fleet.full[0]!
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

  it('leave settings in km/h and meters', async () => {
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
      'ident,time_device,latitude,longitude,altitude,angle,speed,engine_hours,odometer,ignition',
      `${IDENTS.silent},2024-07-01T00:00:00Z,-0.00000004,0.00000006,-0.004,0.004,0.004,0.0004,0.004,`,
      `${IDENTS.silent},2024-07-01T00:01:00Z,1.23456784,-179.12345678,-12.3456,359.994,0,0.10349,1.2298,`,
      // The trip begins; its length is 0.0051 km.
      `${IDENTS.silent},2024-07-01T00:02:00Z,1.23456784,-179.12345678,-12.3456,359.994,99.9949,,1.2349,true`,
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
      [1.2345678, -179.1234568, -12.35, 359.99, 0, 0.103, 1.23, 1.23],
      [1.2345678, -179.1234568, -12.35, 359.99, 99.99, 0.103, 1.23, 0.01],
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
})

describe('Answers: order of lists', () => {
  it('is by id, ascending and complete', async () => {
    const organization = fleet.take()
    const rows = Array.from({ length: 1500 }, (_, i) => `${9_000_000 - i},added-${i},Added ${i}`)
    await importRows(fleet, organization, 'objects', 'id,ident,name', rows)
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

describe('Answers: ids', () => {
  it('cannot be taken from another organization by an import that names them', async () => {
    const organization = fleet.take()
    const owner = fleet.full[0]!
    const wanted = owner.objects.van
    const file = join(temporaryFolder(), 'objects.csv')
    writeFileSync(file, `id,ident,name\n${wanted},mine,Mine\n`)
    await fleet.run('import', 'objects', '--org', String(organization.id), file)
    const mine = await result(organization, '/objects')
    assert.equal(
      mine.some((object: { id: number }) => object.id === wanted),
      false,
    )
    assert.equal((await result(owner, `/objects/${wanted}`)).ident, IDENTS.van)
  })
})

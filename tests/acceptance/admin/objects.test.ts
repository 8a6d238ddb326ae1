import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, OPERATIONS, startConsole } from '../harness/admin.ts'
import { INSTANT } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { resolved } from '../harness/limit-cases.ts'
import { postRows } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const console = await startConsole()
const { operator } = console
const { get, post, patch } = operator
const { id: organization } = await post('/organizations', { name: 'Acme' })
const at = `/organizations/${organization}`
const all = `${at}/objects`

const ACCURACY = {
  device_timezone: 'UTC',
  maximum_hdop: 10,
  maximum_accuracy: 200,
  minimum_difference_point: 0,
  minimum_gps_level: 0,
  idle_speed_threshold: 3,
  minimum_moving_speed: 5,
  distance_source: 'gps',
  stop_detection_method: 'speed',
  maximum_gap: null,
}

describe('An object', () => {
  it('is created with defaults for omitted fields, and shown and listed alike', async () => {
    const made = await post(all, { name: 'Van', ident: 'van-1' })
    const { id, created_at, accuracy, name, ident, motion, ...rest } = made
    assert.deepEqual([name, ident, motion], ['Van', 'van-1', 'no_signal'])
    assert.match(created_at, INSTANT)
    assert.deepEqual(accuracy, ACCURACY)
    const { engine_hours_type, odometer_type, odometer_offset, ...unknown } = rest
    assert.deepEqual([engine_hours_type, odometer_type, odometer_offset], ['system', 'system', 0])
    for (const [field, value] of Object.entries(unknown)) assert.equal(value, null, field)
    assert.deepEqual(await get(`${all}/${id}`), made)
    const { items } = await get(all)
    assert.deepEqual(
      items.find((each: Json) => each.id === id),
      made,
    )
  })

  it('is not created beyond max_objects, until another is deleted or the limit is raised', async () => {
    const { id } = await post('/organizations', { name: 'Small', max_objects: 1 })
    const own = `/organizations/${id}`
    const create = (ident: string) =>
      operator.ask('POST', `${own}/objects`, { body: { name: 'Van', ident } })
    const first = await create('a')
    assert.equal(first.status, 201)
    assertError(await create('b'), 409, 'conflict', 'max_objects')
    await operator.ask('DELETE', `${own}/objects/${first.json.id}`)
    assert.equal((await create('b')).status, 201)
    await patch(own, { max_objects: 2 })
    assert.equal((await create('c')).status, 201)
    const rows = 'ident,name\nb,Bus\nd,Van\n'
    const imported = await operator.ask('POST', `${own}/import/objects?file=objects.csv`, {
      body: rows,
    })
    assert.equal(imported.json.updated, 1)
    assert.equal(imported.json.reasons.limit_of_objects.count, 1)
  })

  it('is created with the given fields, including single fields of accuracy', async () => {
    const given = {
      name: 'Truck ß',
      ident: 'truck-1',
      vin: 'WDB9066331S123456',
      plate_number: '34 ABC 123',
      engine_hours_type: 'sensor',
      odometer_type: 'sensor',
      odometer_offset: -12.5,
      private_hours: 'Sa,Su',
      private_ranges: '2026-12-24',
      private_time_zone: 'Europe/Madrid',
      retention_days: 30,
    }
    const accuracy = { maximum_hdop: 4, device_timezone: 'Europe/Istanbul' }
    const { takes } = OPERATIONS.find(({ id }) => id === 'createObject')!
    const { properties } = resolved(takes['application/json'].schema)
    const named = Object.keys({ ...given, accuracy })
    assert.deepEqual(named.sort(), Object.keys(properties).sort())
    const made = await post(all, { ...given, accuracy })
    for (const [field, value] of Object.entries(given)) assert.equal(made[field], value, field)
    assert.deepEqual(made.accuracy, { ...ACCURACY, ...accuracy })
  })

  it('is updated field by field, including accuracy, and not at all if one field is wrong', async () => {
    const made = await post(all, { name: 'Patched', ident: 'patched', vin: 'V' })
    const one = `${all}/${made.id}`
    await patch(one, { accuracy: { maximum_hdop: 3 } })
    await patch(one, { accuracy: { minimum_gps_level: 5 }, plate_number: 'P', vin: null })
    const accuracy = { ...ACCURACY, maximum_hdop: 3, minimum_gps_level: 5 }
    const expected = { ...made, accuracy, plate_number: 'P', vin: null }
    assert.deepEqual(await get(one), expected)
    const wrong: [object, string, RegExp][] = [
      [{ name: 'x\ny' }, 'name', /1 to 200 characters/],
      [{ accuracy: { device_timezone: '+03:00' } }, 'device_timezone', /IANA/],
      [{ accuracy: { device_timezone: 'Mars/Base' } }, 'device_timezone', /IANA/],
      [{ accuracy: { speed: 1 } }, 'speed', /not a known field/],
      [{ accuracy: null }, 'accuracy', /object/],
      [{ odometer: 5 }, 'odometer', /not a known field/],
      [{ id: 5 }, 'id', /not a known field/],
    ]
    for (const [change, field, rule] of wrong) {
      const answer = await operator.ask('PATCH', one, { body: { plate_number: 'Q', ...change } })
      assert.match(assertError(answer, 400, 'invalid', field).message, rule)
    }
    assert.deepEqual(await get(one), expected)
    assert.deepEqual(await patch(one, {}), expected)
  })

  it('has an ident that is unique in its organization', async () => {
    const made = await post(all, { name: 'First', ident: 'same' })
    const other = await post(all, { name: 'Second', ident: 'different' })
    const body = { name: 'Third', ident: 'same' }
    assertError(await operator.ask('POST', all, { body }), 409, 'conflict', 'ident')
    const renamed = await operator.ask('PATCH', `${all}/${other.id}`, { body: { ident: 'same' } })
    assertError(renamed, 409, 'conflict', 'ident')
    assert.deepEqual(await get(`${all}/${made.id}`), made)
    assert.deepEqual(await get(`${all}/${other.id}`), other)
    const { id } = await post('/organizations', { name: 'Elsewhere' })
    await post(`/organizations/${id}/objects`, body)
  })

  it('is created once when many requests use one ident at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        operator.ask('POST', all, { body: { name: `Number ${i}`, ident: 'at-once' } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
    const { id, name } = answers.find(({ status }) => status === 201)!.json
    assert.equal((await get(`${all}/${id}`)).name, name)
  })

  it('keeps each of many simultaneous changes', async () => {
    const { id } = await post(all, { name: 'Busy', ident: 'busy' })
    const accuracy = { maximum_hdop: 1, minimum_gps_level: 2, idle_speed_threshold: 4 }
    await Promise.all(
      Object.entries(accuracy).map(([field, value]) =>
        patch(`${all}/${id}`, { accuracy: { [field]: value } }),
      ),
    )
    assert.deepEqual((await get(`${all}/${id}`)).accuracy, { ...ACCURACY, ...accuracy })
  })

  it('has its odometer offset in the unit of the organization', async () => {
    const { id } = await post('/organizations', { name: 'Miles', distance_unit: 'mi' })
    const there = `/organizations/${id}/objects`
    const made = await post(there, { name: 'x', ident: 'x', odometer_offset: 100 })
    assert.equal(made.odometer_offset, 100)
    assert.equal(
      (await patch(`${there}/${made.id}`, { odometer_offset: -7.25 })).odometer_offset,
      -7.25,
    )
    await patch(`/organizations/${id}`, { distance_unit: 'km' })
    assert.equal((await get(`${there}/${made.id}`)).odometer_offset, -11.67)
    const far = { odometer_offset: 1e12 }
    const refused = await operator.ask('PATCH', `${there}/${made.id}`, { body: far })
    assertError(refused, 400, 'invalid', 'odometer_offset')
  })

  it('is gone after its deletion, and its ident is free', async () => {
    const made = await post(all, { name: 'Gone', ident: 'gone' })
    await operator.delete(`${all}/${made.id}`)
    assertError(await operator.ask('GET', `${all}/${made.id}`), 404, 'not_found')
    assertError(await operator.ask('DELETE', `${all}/${made.id}`), 404, 'not_found')
    const again = await post(all, { name: 'Gone', ident: 'gone' })
    assert.notEqual(again.id, made.id)
  })
})

describe('Rejects', () => {
  it('say why packets were not accepted, the newest first', async () => {
    const accuracy = { maximum_hdop: 2, minimum_gps_level: 4 }
    const { id } = await post(all, { name: 'Strict', ident: 'strict', accuracy })
    const { secret } = await post(`${at}/feed-tokens`, { name: 'x' })
    const position = { ident: 'strict', latitude: 1, longitude: 2 }
    for (const [i, more] of [{ hdop: 5 }, { gps_level: 1 }, { hdop: 1, gps_level: 9 }].entries()) {
      const row = { ...position, ...more, time_device: Date.now() - 60_000 + i * 1_000 }
      await postRows(console.server.feed, secret, [row])
    }
    const { items } = await get(`${all}/${id}/rejects`)
    assert.deepEqual(
      items.map(({ reason, hdop, gps_level }: Json) => [reason, hdop, gps_level]),
      [
        ['gps_level_below_minimum', null, 1],
        ['hdop_above_maximum', 5, null],
      ],
    )
    for (const { message, time_server, latitude, longitude } of items) {
      assert.match(message, /maximum_hdop|minimum_gps_level/)
      assert.ok(Math.abs(Date.parse(time_server) - Date.now()) < 60_000)
      assert.deepEqual([latitude, longitude], [1, 2])
    }
  })
})

/**
 * A known drive along the equator at a hundredth of a degree a minute: 10 minutes of driving, 5 parked, then 5 of
 * driving. The last fix is poor.
 */
const START = Date.parse('2026-03-02T08:00:00Z')
const LEG_KM = ((6_378.137 * Math.PI) / 180) * 0.01
const moment = (minute: number) => new Date(START + minute * 60_000).toISOString()
const DRIVE = Array.from({ length: 21 }, (_, minute) => {
  const isParked = minute > 10 && minute <= 15
  const steps = minute <= 10 ? minute : Math.max(10, minute - 5)
  return {
    ident: 'driver',
    time_device: moment(minute),
    latitude: 0,
    longitude: 30 + steps / 100,
    speed: isParked ? 0 : 66.8,
    ignition: !isParked,
    hdop: minute === 20 ? 9 : 1,
  }
})
const RANGE = `from=${moment(0)}&to=${moment(20)}`

async function importDrive(rows: object[]): Promise<void> {
  const file = join(temporaryFolder(), 'drive.ndjson')
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const org = ['--org', String(organization)]
  await jsonHere(['import', 'positions', ...org, file, ...console.deployment.args])
}

describe('A drive', async () => {
  const { id } = await post(all, { name: 'Driver', ident: 'driver' })
  const one = `${all}/${id}`
  await importDrive(DRIVE)
  const near = (found: number, expected: number) =>
    assert.ok(Math.abs(found - expected) < 0.02, `${found}, not ${expected}`)

  it('is shown with its path and its totals', async () => {
    const track = await get(`${one}/track?${RANGE}`)
    assert.equal(track.positions, 21)
    assert.equal(track.points.length, 21)
    near(track.distance, 15 * LEG_KM)
    assert.equal(track.moving_seconds, 15 * 60)
    assert.equal(track.idle_seconds, 0)
    assert.equal(track.truncated, false)
    const [time, longitude, latitude, speed, , motion] = track.points[3]
    assert.deepEqual([time, longitude, latitude, motion], [START + 180_000, 30.03, 0, 'moving'])
    near(speed, 66.8)
    assert.equal(track.points[12][5], 'stopped')
    near(track.points.at(-1)[6], 15 * LEG_KM)
    const hdops = DRIVE.map(({ hdop }) => hdop)
    assert.deepEqual(track.measures, [{ label: 'HDOP', unit: null, values: hdops }])
    assert.deepEqual(track.attributes, [])
  })

  it('is limited to the requested range of at most 7 days', async () => {
    const part = await get(`${one}/track?from=${moment(5)}&to=${moment(8)}`)
    assert.deepEqual(
      part.points.map(([time]: Json) => time),
      [5, 6, 7, 8].map((m) => START + m * 60_000),
    )
    // The leg that ends with the first position belongs to the range.
    near(part.distance, 4 * LEG_KM)
    const week = new Date(START + 7 * 86_400_000).toISOString()
    assert.equal((await get(`${one}/track?from=${moment(0)}&to=${week}`)).positions, 21)
    const none = await get(`${one}/track?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`)
    assert.deepEqual([none.points, none.positions, none.distance], [[], 0, 0])
  })

  it('is shown in miles if the organization uses miles', async () => {
    await patch(at, { distance_unit: 'mi' })
    near((await get(`${one}/track?${RANGE}`)).distance, (15 * LEG_KM) / 1.609344)
    await patch(at, { distance_unit: 'km' })
  })

  it('is limited to the retention period of the organization', async () => {
    await patch(at, { retention_days: 1 })
    assert.deepEqual((await get(`${one}/track?${RANGE}`)).points, [])
    const days = Math.ceil((Date.now() - START) / 86_400_000) + 2
    await patch(at, { retention_days: days })
    assert.equal((await get(`${one}/track?${RANGE}`)).positions, 21)
    await patch(at, { retention_days: null })
  })

  it('can be previewed with other settings, which changes nothing', async () => {
    const before = await get(one)
    const asked = { from: moment(0), to: moment(20) }
    const same = await post(`${one}/preview`, { accuracy: {}, ...asked })
    assert.deepEqual(same.before, same.after)
    assert.deepEqual([same.before.accepted, same.before.refused], [21, []])
    assert.equal(same.before.line.length, same.before.positions)
    const accuracy = { maximum_hdop: 5, minimum_moving_speed: 80 }
    const { before: now, after } = await post(`${one}/preview`, { accuracy, ...asked })
    assert.deepEqual(now, same.before)
    assert.equal(after.accepted, 20)
    assert.deepEqual(
      after.refused.map(({ reason, positions }: Json) => [reason, positions]),
      [['hdop_above_maximum', 1]],
    )
    assert.equal(after.moving_seconds, 0)
    assert.ok(after.positions < now.positions)
    assert.deepEqual(await get(one), before)
    const wrong = { accuracy: { maximum_hdop: 'x' }, ...asked }
    const refused = await operator.ask('POST', `${one}/preview`, { body: wrong })
    assertError(refused, 400, 'invalid', 'maximum_hdop')
  })

  it('is recomputed after a change of settings', async () => {
    const { odometer } = await get(one)
    near(odometer, 15 * LEG_KM)
    await patch(one, { accuracy: { minimum_moving_speed: 80, distance_source: 'odometer' } })
    assert.equal((await get(one)).odometer, odometer)
    const asked = await operator.ask('POST', `${one}/recompute`)
    assert.equal(asked.status, 202)
    const giveUpAt = Date.now() + 60_000
    while ((await get(one)).time_last_move !== null) {
      assert.ok(Date.now() < giveUpAt, 'it is not counted anew')
    }
    const { motion, time_last_idle } = await get(one)
    assert.notEqual(time_last_idle, null)
    assert.equal(motion, 'no_signal', 'its last packet is too old to tell how it moves')
  })
})

describe('A drive whose distance the device counts', () => {
  const RANGE_ASKED = { from: moment(0), to: moment(20) }
  /** The odometer grows by 2.9 km a minute, which differs from the distance between the positions. */
  const drive = (ident: string) =>
    DRIVE.map((row, minute) => ({ ...row, ident, odometer: 5_000 + minute * 2.9 }))

  it('has the length of its sensor in the track, the preview and the API alike', async () => {
    const { id } = await post(all, { name: 'Sensor', ident: 'sensor', odometer_type: 'sensor' })
    await importDrive(drive('sensor'))
    const track = await get(`${all}/${id}/track?${RANGE}`)
    assert.equal((await get(`${all}/${id}`)).odometer, 5_058)
    assert.deepEqual([track.points[0][6], track.points.at(-1)[6]], [5_000, 5_058])
    assert.equal(track.distance, 58)
    const asked = { accuracy: {}, ...RANGE_ASKED }
    const { before, after } = await post(`${all}/${id}/preview`, asked)
    assert.deepEqual([before.distance, after.distance], [58, 58])
  })

  it('has the length of the odometer under distance_source odometer, without its initial reading', async () => {
    const accuracy = { distance_source: 'odometer' }
    const { id } = await post(all, { name: 'Counted', ident: 'counted', accuracy })
    await importDrive(drive('counted'))
    const { odometer } = await get(`${all}/${id}`)
    assert.ok(odometer > 40 && odometer <= 58, `${odometer} km`)
    assert.equal((await get(`${all}/${id}/track?${RANGE}`)).distance, odometer)
    const asked = { accuracy: { maximum_hdop: 5 }, ...RANGE_ASKED }
    const { before, after } = await post(`${all}/${id}/preview`, asked)
    assert.equal(before.distance, odometer)
    assert.ok(Math.abs(odometer - after.distance - 2.9) < 0.01, `${after.distance} km`)
  })
})

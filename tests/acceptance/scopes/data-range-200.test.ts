import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS, WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'
import { senderOf } from '../harness/sender.ts'
import { DAY, RANGE as DRIVES, drive, MINUTE, untilRecords } from '../trips/records-fleet.ts'

const fleet = await startFleet()
const FROM = '2024-05-06T08:02:00.000Z'
const UNTIL = '2024-05-06T08:05:00.000Z'
const RANGE = ['--data-from', FROM, '--data-until', UNTIL]

/** The fields that a position gives an object, and that a range of time bounds. */
const OF_A_POSITION = [
  'latitude',
  'longitude',
  'altitude',
  'angle',
  'speed',
  'time_device',
  'time_server',
]
const BOUNDED = [...OF_A_POSITION, 'odometer', 'mileage', 'engine_hours', 'address']

const only = (fields: readonly string[], row: Json): Json =>
  Object.fromEntries(fields.map((field) => [field, row[field]]))

describe('A key that shows positions of four minutes', async () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const all = resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
  const visible = all.filter(({ time_device: at }: Json) => at >= FROM && at <= UNTIL)
  const caller = await scoped(fleet, organization, ...RANGE)
  const newest = visible.at(-1)

  it('shows the rows of a history within them, and nothing else', async () => {
    assert.equal(visible.length, 4)
    const rows = resultOf(await caller.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
    // Rows without an address show the object's last known one, which is another one for this key.
    const withoutAddress = ({ address: _, ...row }: Json) => row
    assert.deepEqual(rows.map(withoutAddress), visible.map(withoutAddress))
    const brought = 'Kumbaracı Yokuşu No:5, Beyoğlu'
    assert.deepEqual(
      rows.map(({ address }: Json) => address),
      [null, null, brought, null],
    )
  })

  it('shows the newest of them as latest position, detail and list item', async () => {
    const [latest] = resultOf(await caller.get(`/positions/latest?ids=${van}`))
    assert.deepEqual(only(BOUNDED, latest), { ...only(BOUNDED, newest), address: null })
    const detail = resultOf(await caller.get(`/objects/${van}`))
    assert.deepEqual(only(BOUNDED, detail), { ...only(BOUNDED, newest), address: null })
    const { time_last_idle: idle, time_last_move: move, time_last_stop: stop } = detail
    assert.deepEqual(
      [idle, move, stop].filter((time) => time !== null),
      [UNTIL],
    )
    const item = resultOf(await caller.get('/objects')).find(({ id }: Json) => id === van)
    const { latitude, longitude, altitude, angle, speed, ...listed } = detail
    assert.deepEqual(item, listed)
  })

  it('shows nulls for an object without a position in them', async () => {
    for (const object of [truck, silent]) {
      const detail = resultOf(await caller.get(`/objects/${object}`))
      const times = ['time_last_idle', 'time_last_move', 'time_last_stop']
      for (const field of [...BOUNDED, ...times]) assert.equal(detail[field], null, field)
    }
    const [latest] = resultOf(await caller.get(`/positions/latest?ids=${truck}`))
    for (const field of BOUNDED) assert.equal(latest[field], null, field)
  })
})

describe('A key that shows positions of four minutes, asked for the whole fleet', async () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const caller = await scoped(fleet, organization, ...RANGE)
  const timesOf = (rows: Json[]) => rows.map(({ id, time_device: at }) => [id, at])

  it('shows positions of these minutes alone', async () => {
    const at = resultOf(await caller.get('/positions/at?ids=all&time=2024-05-06T09:00:00Z'))
    assert.deepEqual(timesOf(at.filter(({ id }: Json) => id === van)), [[van, UNTIL]])
    const early = resultOf(await caller.get(`/positions/at?ids=${van}&time=2024-05-06T08:01:30Z`))
    assert.deepEqual(timesOf(early), [[van, null]])
    const rows = resultOf(await caller.get(`/positions?ids=${van}&${WHOLE_RANGE}`))
    assert.deepEqual(
      timesOf(rows),
      [2, 3, 4, 5].map((minute) => [van, `2024-05-06T08:0${minute}:00.000Z`]),
    )
    const latest = resultOf(await caller.get('/positions/latest?ids=all&include=quality'))
    assert.deepEqual(timesOf(latest.filter(({ id }: Json) => id === van)), [[van, UNTIL]])
  })

  it('finds objects where they were in these minutes, and not where they are', async () => {
    const [was] = resultOf(await caller.get(`/positions/latest?ids=${van}`))
    const [is] = resultOf(await organization.get(`/positions/latest?ids=${van}`))
    const around = ({ latitude, longitude }: Json) =>
      [longitude - 1e-4, latitude - 1e-4, longitude + 1e-4, latitude + 1e-4].join()
    const idsIn = async (row: Json) => {
      const path = `/positions/latest?ids=all&bbox=${around(row)}`
      return resultOf(await caller.get(path)).map(({ id }: Json) => id)
    }
    assert.deepEqual(await idsIn(was), [van])
    assert.deepEqual(await idsIn(is), [])
  })
})

describe('A key that shows positions of four minutes, asked for what is derived', async () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const caller = await scoped(fleet, organization, ...RANGE)

  it('counts days from visible positions alone', async () => {
    const [day] = resultOf(await caller.get(`/days?ids=${van}&${WHOLE_DAYS}`))
    assert.deepEqual(only(['positions', 'first_time', 'last_time'], day), {
      positions: 4,
      first_time: FROM,
      last_time: UNTIL,
    })
  })

  it('covers visible positions alone', async () => {
    const [day] = resultOf(await caller.get(`/coverage?ids=${van}&${WHOLE_DAYS}`))
    assert.deepEqual(only(['positions', 'first_time', 'last_time', 'rejected'], day), {
      ...{ positions: 4, first_time: FROM, last_time: UNTIL, rejected: null },
    })
  })

  it('shows no trip, stop or visit with a position outside of them', async () => {
    // Derived for the organization, and not for the key.
    assert.equal(resultOf(await organization.get(`/trips?ids=${van}&${WHOLE_RANGE}`)).length, 1)
    for (const records of ['trips', 'stops', 'visits']) {
      assert.deepEqual(resultOf(await caller.get(`/${records}?${WHOLE_RANGE}`)), [])
    }
    const { changes } = resultOf(await caller.get('/changes?types=trips,stops,visits'))
    assert.deepEqual(
      changes.map(({ type }: Json) => type),
      ['retention'],
    )
  })

  it('measures adherence by visible positions alone', async () => {
    const path = `/routes/${organization.route}/adherence?object=${van}&${WHOLE_RANGE}`
    const part = `from_time=${FROM}&to_time=${UNTIL}`
    const bounded = resultOf(await caller.get(path))
    const asked = resultOf(await organization.get(path.replace(WHOLE_RANGE, part)))
    assert.deepEqual(bounded, asked)
  })
})

describe('A key that shows positions from a moment on, of an object with a sensor odometer', async () => {
  const organization = await senderOf(fleet as Fleet, fleet.take())
  const { silent } = organization.objects
  const org = ['--org', `${organization.id}`]
  // The hours between two drives are no silences.
  const settings = ['--odometer-type', 'sensor', '--maximum-gap', '180']
  await fleet.run('objects', 'update', ...org, `${silent}`, ...settings)

  /** A drive at an hour of the day, and the odometer in km with which it begins. */
  const driveAt = (hour: number, odometer: number) =>
    drive(IDENTS.silent, DAY + hour * 60 * MINUTE).map((row, index) => {
      return { ...row, odometer: odometer + index / 10 }
    })
  // The sensor counts 250 km between two drives. The last drive has not ended.
  await organization.post([...driveAt(1, 1_000), ...driveAt(3, 1_250)])
  await organization.post(driveAt(5, 1_500).slice(0, 20))
  const path = `/trips?ids=${silent}&${DRIVES}`
  await untilRecords(organization, async () => resultOf(await organization.get(path)).length === 3)
  const at = new Date(DAY + 2 * 60 * MINUTE).toISOString()
  const caller = await scoped(fleet, organization, '--data-from', at)

  it('shows the distance between the ends of a trip, and nothing that was counted before', async () => {
    const whole = resultOf(await organization.get(path))
    assert.deepEqual(
      whole.map(({ distance }: Json) => distance > 200),
      [false, true, true],
    )
    const visible = resultOf(await caller.get(path))
    const [, second, third] = whole
    assert.deepEqual(
      visible.map(({ id }: Json) => id),
      [second.id, third.id],
    )
    const [{ distance, start_odometer: from, end_odometer: to, average_speed: speed }, last] =
      visible
    assert.equal(distance, Math.round((to - from) * 100) / 100)
    assert.ok(speed < 200, `${speed}`)
    assert.deepEqual([last.open, last.distance, last.average_speed], [true, null, null])
    const { changes } = resultOf(await caller.get(`/changes?types=trips&ids=${silent}`))
    assert.deepEqual(
      changes.flatMap(({ trip }: Json) => trip ?? []),
      visible,
    )
  })
})

describe('/changes for a key that shows positions of four minutes', async () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const caller = await scoped(fleet, organization, ...RANGE)

  it('begins with what the key sees elsewhere', async () => {
    const { changes } = resultOf(await caller.get(`/changes?from=history&ids=${van}`))
    const of = (type: string) => changes.filter((entry: Json) => entry.type === type)
    const rows = resultOf(await caller.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
    assert.deepEqual(
      of('position').map(({ position }: Json) => position),
      rows,
    )
    const detail = resultOf(await caller.get(`/objects/${van}`))
    const [{ state }] = of('state')
    assert.deepEqual(only(Object.keys(state), detail), state)
    const item = resultOf(await caller.get('/objects')).find(({ id }: Json) => id === van)
    assert.deepEqual(of('object')[0].object, item)
  })

  it('tells of positions in them, and of no others', async () => {
    const { cursor } = resultOf(await caller.get('/changes?from=now'))
    const send = (time: string) => ({
      ident: '490154203237518',
      time_device: time,
      latitude: -33.86,
      longitude: 151.21,
    })
    const inside = '2024-05-06T08:03:30.000Z'
    for (const times of [['2024-05-06T08:20:00Z'], ['2024-05-06T08:01:30Z', inside]]) {
      const answer = await fetch(`${fleet.server.feed}/feed/v1/positions`, {
        method: 'POST',
        headers: { 'x-feed-token': organization.feedToken, 'content-type': 'application/json' },
        body: JSON.stringify(times.map(send)),
      })
      assert.equal(answer.status, 200)
    }
    const { changes } = resultOf(await caller.get(`/changes?cursor=${cursor}`))
    const told = changes.map((entry: Json) => [
      entry.type,
      entry.position?.time_device ?? entry.state?.time_device ?? entry.from_time,
    ])
    assert.deepEqual(
      told.filter(([type]: Json) => type !== 'counters'),
      [
        ['position', inside],
        ['state', inside],
      ],
    )
    for (const [type, from] of told) if (type === 'counters') assert.ok(from >= FROM)
  })
})

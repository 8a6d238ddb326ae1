import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, NAMES, positionRow } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { QUALITY_FIELDS } from '../harness/operations.ts'
import { senderOf } from '../harness/sender.ts'

const fleet = await startFleet()

describe('Answers: `/positions/latest`: GET /positions/latest: 200', () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const latest = async (ids: string | number) =>
    resultOf(await organization.get(`/positions/latest?ids=${ids}`))

  it('returns the newest position of each object in the requested order', async () => {
    const rows = [positionRow(FIXES.truck.at(-1)!, truck), positionRow(FIXES.van.at(-1)!, van)]
    const answered = await latest(`${truck},${van}`)
    assert.deepEqual(answered, rows)
    assert.deepEqual(Object.keys(answered[0]), Object.keys(rows[0]))
  })

  it('returns nulls for an object that never had a fix', async () => {
    const unknown = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }
    assert.deepEqual(await latest(silent), [
      {
        ...{ id: silent, ident: IDENTS.silent, name: NAMES.silent, ...unknown },
        ...{ time_server: null, time_device: null },
        ...{ engine_hours: null, odometer: null, mileage: null, address: null },
      },
    ])
  })

  it('accepts ids as a list, repeated, with brackets, and all of these at once; Requests: `ids` of `/positions/latest`', async () => {
    const listed = await organization.get(`/positions/latest?ids=${truck},${van},${silent}`)
    for (const query of [
      `ids=${truck}&ids=${van}&ids=${silent}`,
      `ids[]=${truck}&ids[]=${van}&ids[]=${silent}`,
      `ids%5B%5D=${truck},${van},${silent}`,
      `ids=${truck}&ids[]=${silent}&ids=%20${van},${truck}%20&other=${van}`,
    ]) {
      const answer = await organization.get(`/positions/latest?${query}`)
      assert.equal(answer.text, listed.text, query)
    }
  })

  it('accepts 1,000 ids', async () => {
    const others = Array.from({ length: 999 }, (_, i) => 900_000 + i).join()
    assert.equal((await latest(`${van},${others}`)).length, 1)
  })

  it('omits ids that the organization does not have', async () => {
    const rows = await latest(`999999999,${van},9007199254740993`)
    assert.deepEqual(rows, [positionRow(FIXES.van.at(-1)!, van)])
  })
})

/** Objects by their idents, each with one position. */
const PLACES: Record<string, { latitude: number; longitude: number; secondsAgo: number }> = {
  istanbul: { latitude: 41, longitude: 29, secondsAgo: 30 },
  ankara: { latitude: 39.9, longitude: 32.8, secondsAgo: 7_200 },
  suva: { latitude: -18.1, longitude: 178.4, secondsAgo: 30 },
  apia: { latitude: -13.8, longitude: -171.8, secondsAgo: 30 },
  edge: { latitude: 10, longitude: 20, secondsAgo: 30 },
}

describe('GET /positions/latest of the whole fleet: 200', () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  const latest = async (query: string) =>
    resultOf(await organization.get(`/positions/latest?${query}`)) as Json[]

  it('answers with a row for each object by id, as for its id', async () => {
    const listed = await organization.get(
      `/positions/latest?ids=${[van, truck, longHaul, silent].join()}`,
    )
    const whole = await organization.get('/positions/latest?ids=all')
    assert.equal(whole.text, listed.text)
  })

  it('adds the fields of quality and the exact counters after the 14', async () => {
    const [row] = await latest(`ids=${van}&include=exact,quality`)
    const { exact, ...rest } = row!
    const fields = Object.entries(rest)
    const contract = Object.fromEntries(fields.slice(0, 14))
    assert.deepEqual(contract, positionRow(FIXES.van.at(-1)!, van))
    assert.deepEqual(Object.keys(row!).slice(14), [...QUALITY_FIELDS, 'exact'])
    const known = fields.slice(14).filter(([, value]) => value !== null)
    assert.deepEqual(Object.fromEntries(known), {
      ...{ ignition: false, motion: 'stopped', corrected: false, late: false },
      address_source: 'last_known',
    })
    assert.equal(exact.odometer_mm, Math.round((98_765.4321 + 11 * 0.9) * 1e6))
  })

  it('has nulls of quality for an object that never had a fix', async () => {
    const [row] = await latest(`ids=${silent}&include=quality`)
    assert.deepEqual(Object.values(row!).slice(14), Array(QUALITY_FIELDS.length).fill(null))
  })
})

describe('GET /positions/latest of a box or of recent positions: 200', async () => {
  const sender = await senderOf(fleet as Fleet, fleet.take(), '--create-objects')
  const now = Date.now()
  const rows = Object.entries(PLACES).map(([ident, { latitude, longitude, secondsAgo }]) => {
    const time_device = new Date(now - secondsAgo * 1_000).toISOString()
    return { ident, time_device, latitude, longitude }
  })
  await sender.post(rows)
  const found = async (query: string) =>
    (resultOf(await sender.get(`/positions/latest?${query}`)) as Json[])
      .map(({ ident }) => ident)
      .sort()

  it('finds the objects in a box, its edges included', async () => {
    assert.deepEqual(await found('bbox=28.99,40,30,42'), ['istanbul'])
    assert.deepEqual(await found('ids=all&bbox=20,10,20,10'), ['edge'])
    assert.deepEqual(await found('ids=all&bbox=0,0,1,1'), [])
  })

  it('crosses the antimeridian if west is greater than east', async () => {
    assert.deepEqual(await found('ids=all&bbox=170,-30,-170,0'), ['apia', 'suva'])
  })

  it('leaves out objects whose position is too old, or that have none', async () => {
    const recent = ['apia', 'edge', 'istanbul', 'suva']
    assert.deepEqual(await found('ids=all&max_age=600'), recent)
    assert.deepEqual(await found('ids=all&max_age=600&bbox=25,35,35,45'), ['istanbul'])
  })

  it('follows the objects as they move', async () => {
    const moved = { ident: 'ankara', time_device: new Date(now).toISOString() }
    await sender.post([{ ...moved, latitude: 41.01, longitude: 29.01 }])
    assert.deepEqual(await found('ids=all&bbox=28.99,40,30,42'), ['ankara', 'istanbul'])
    assert.deepEqual(await found('ids=all&bbox=32,39,33,40'), [])
  })

  it('filters listed objects too', async () => {
    const objects = resultOf(await sender.get('/objects')) as Json[]
    const idOf = (wanted: string) => objects.find(({ ident }) => ident === wanted)!.id
    const ids = [idOf('suva'), idOf('istanbul')].join()
    assert.deepEqual(await found(`ids=${ids}&bbox=28.99,40,30,42`), ['istanbul'])
  })
})

describe('GET /positions/at: 200', () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const at = async (time: string, ids: string, more = '') =>
    resultOf(await organization.get(`/positions/at?time=${time}&ids=${ids}${more}`)) as Json[]
  const none = (id: number, name: 'van' | 'truck' | 'silent') => ({
    ...{ id, ident: IDENTS[name], name: NAMES[name] },
    ...{ latitude: null, longitude: null, altitude: null, angle: null, speed: null },
    ...{ time_server: null, time_device: null },
    ...{ engine_hours: null, odometer: null, mileage: null, address: null },
  })

  it('shows the newest position at or before the moment, in the order asked', async () => {
    const rows = await at('2024-05-06T08:00:45Z', `${truck},${silent},${van}`)
    const expected = [positionRow(FIXES.truck[1]!, truck), none(silent, 'silent')]
    assert.deepEqual(rows, [...expected, positionRow(FIXES.van[0]!, van)])
    assert.deepEqual(Object.keys(rows[1]!), Object.keys(rows[0]!))
  })

  it('includes the position of that very millisecond', async () => {
    const time = FIXES.van[5]!.time_device
    assert.deepEqual(await at(time, String(van)), [positionRow(FIXES.van[5]!, van)])
    const before = new Date(Date.parse(time) - 1).toISOString()
    assert.deepEqual(await at(before, String(van)), [positionRow(FIXES.van[4]!, van)])
  })

  it('takes a date as its first millisecond', async () => {
    assert.deepEqual(await at('2024-05-06', String(van)), [none(van, 'van')])
    assert.deepEqual(await at('2024-05-07', String(van)), [positionRow(FIXES.van.at(-1)!, van)])
  })

  it('answers for all objects by id', async () => {
    const rows = await at('2024-05-06T08:00:45Z', 'all')
    assert.deepEqual(
      rows.map(({ id }) => id),
      Object.values(organization.objects),
    )
  })

  it('adds the fields of quality and the exact counters after the 14', async () => {
    const [row, absent] = await at('2024-05-07', `${van},${silent}`, '&include=quality,exact')
    assert.deepEqual(
      [row!.ignition, row!.motion, row!.late, row!.address_source],
      [false, 'stopped', false, 'last_known'],
    )
    assert.deepEqual(Object.keys(absent!), Object.keys(row!))
    assert.deepEqual(Object.values(absent!.exact), [null, null, null])
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import geographicLib from 'geographiclib-geodesic'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, type FixRow, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { everyStep } from './every-step.ts'

const fleet = await startFleet()

const FIELDS = [
  ...['id', 'ident', 'name', 'latitude', 'longitude', 'altitude', 'angle', 'speed'],
  ...['time_server', 'time_device', 'engine_hours', 'odometer', 'mileage', 'address'],
]

describe('GET /objects/{id}/positions: 200', () => {
  const organization = fleet.take()
  const others = Array.from({ length: 5 }, () => fleet.take())
  const { van, truck, longHaul, silent } = organization.objects
  const history = async (id: number, query = WHOLE_RANGE) =>
    resultOf(await organization.get(`/objects/${id}/positions?${query}`))

  it('returns every fix of the range with all its fields in the documented order; Answers: datetimes', async () => {
    const rows = await history(van)
    assert.deepEqual(
      rows,
      FIXES.van.map((fix) => positionRow(fix, van)),
    )
    for (const row of rows) assert.deepEqual(Object.keys(row), FIELDS)
  })

  it("returns null for missing values of a fix; Answers: a history row's `address` and counters", async () => {
    assert.deepEqual(
      await history(truck),
      FIXES.truck.map((fix) => positionRow(fix, truck)),
    )
  })

  it('returns a long range whole; Requests: row order', async () => {
    const rows = await history(longHaul)
    const uncounted = { engine_hours: null, odometer: null, mileage: null }
    assert.deepEqual(
      rows.map((row: Json) => ({ ...row, ...uncounted })),
      FIXES.longHaul.map((fix) => positionRow(fix, longHaul)),
    )
  })

  it('returns each of many simultaneous readers its own history', async () => {
    const askers = Array.from({ length: 10 }, (_, i) => others[i % others.length]!)
    const answers = await Promise.all(
      askers.map((asker) =>
        asker.get(`/objects/${asker.objects.longHaul}/positions?${WHOLE_RANGE}`),
      ),
    )
    for (const [i, answer] of answers.entries()) {
      const { longHaul } = askers[i]!.objects
      assert.deepEqual(
        resultOf(answer).map(placeOf),
        FIXES.longHaul.map((fix) => placeOf(positionRow(fix, longHaul))),
      )
    }
  })

  it('computes hours and kilometers from fix to fix if no sensor counts', async () => {
    const rows = await history(longHaul)
    let km = 0
    for (const [index, fix] of FIXES.longHaul.entries()) {
      const { engine_hours, odometer, mileage } = rows[index]
      if (index > 0) km += kilometres(FIXES.longHaul[index - 1]!, fix)
      assert.equal(engine_hours, Number(((index * 10) / 3600).toFixed(3)))
      // Half of the last decimal, plus the documented error of the approximation.
      assert.ok(Math.abs(odometer - km) <= 0.005 + km * 2e-5, `${odometer}, ${km} km`)
      assert.equal(mileage, odometer, 'all of it is one trip')
    }
    assert.ok(km > 300)
  })

  it('returns an empty array if the range or the object has no fixes', async () => {
    assert.deepEqual(await history(silent), [])
    assert.deepEqual(await history(van, 'from_time=2020-01-01&to_time=2020-12-31'), [])
  })

  it('returns at most `limit` rows', async () => {
    assert.deepEqual(
      await history(van, `${WHOLE_RANGE}&limit=5`),
      FIXES.van.slice(0, 5).map((fix) => positionRow(fix, van)),
    )
  })
})

function placeOf({ id, time_device, latitude, longitude }: Json) {
  return { id, time_device, latitude, longitude }
}

/** C. Karney's algorithm, which is exact to nanometres. */
function kilometres(from: FixRow, to: FixRow): number {
  const { s12 } = geographicLib.Geodesic.WGS84.Inverse(
    from.latitude,
    from.longitude,
    to.latitude,
    to.longitude,
  )
  return s12! / 1000
}

describe('GET /objects/{id}/positions with include and step: 200', () => {
  const organization = fleet.take()
  const { van, longHaul } = organization.objects
  const history = (id: number, query: string) =>
    organization.get(`/objects/${id}/positions?${WHOLE_RANGE}&${query}`)

  it('adds quality and exact counters after the 14 fields', async () => {
    const rows = resultOf(await history(van, 'include=quality,exact')) as Json[]
    for (const [i, row] of rows.entries()) {
      const { exact, ...rest } = row
      const contract = Object.fromEntries(Object.entries(rest).slice(0, 14))
      assert.deepEqual(contract, positionRow(FIXES.van[i]!, van))
      assert.deepEqual(Object.keys(row).slice(14), [
        ...['ignition', 'motion', 'hdop', 'gps_level', 'accuracy', 'corrected', 'late'],
        ...['address_source', 'exact'],
      ])
      assert.equal(row.ignition, FIXES.van[i]!.ignition)
      assert.equal(row.address_source, i % 4 === 0 ? 'own' : 'last_known')
      assert.ok(['moving', 'idle', 'stopped'].includes(row.motion), row.motion)
      assert.equal(exact.odometer_mm, Math.round(FIXES.van[i]!.odometer! * 1e6))
    }
    assert.equal(rows.at(-1)!.motion, 'stopped')
  })

  it('keeps the first position of each interval and the last of the range', async () => {
    for (const seconds of [60, 900]) {
      const rows = resultOf(await history(longHaul, `step=${seconds}`)) as Json[]
      const expected = everyStep(FIXES.longHaul, seconds)
      assert.deepEqual(
        rows,
        expected
          .map((fix) => positionRow(fix, longHaul))
          .map((row, i) => ({
            ...row,
            // Counted by the server.
            ...{ engine_hours: rows[i]!.engine_hours, odometer: rows[i]!.odometer },
            mileage: rows[i]!.mileage,
          })),
      )
    }
  })

  it('pages by step, with the step and the fields in the link', async () => {
    const expected = everyStep(FIXES.longHaul, 1_200).map(({ time_device }) => time_device)
    const query = `${WHOLE_RANGE}&step=1200&include=quality&limit=4`
    const { rows, pages } = await allPages(
      organization.get,
      `/objects/${longHaul}/positions?${query}`,
    )
    assert.ok(pages.every(({ length }) => length <= 4) && rows.every((row) => 'motion' in row))
    const times = rows.map(({ time_device }) => time_device)
    assert.deepEqual(times, expected)
  })
})

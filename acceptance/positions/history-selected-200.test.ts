import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { FIXES, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { everyStep } from './every-step.ts'

const fleet = await sharedFleet()

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
        ...['ignition', 'motion', 'hdop', 'gps_level', 'late', 'address_source', 'exact'],
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
    const times: string[] = []
    let path: string | undefined =
      `/objects/${longHaul}/positions?${WHOLE_RANGE}&step=1200&include=quality&limit=4`
    while (path !== undefined) {
      const answer = await organization.get(path)
      const rows = resultOf(answer) as Json[]
      assert.ok(rows.length <= 4 && rows.every((row) => 'motion' in row))
      times.push(...rows.map(({ time_device }) => time_device))
      path = /<[^>]*\/public\/v1([^>]+)>/.exec(String(answer.headers.link))?.[1]
    }
    assert.deepEqual(times, expected)
  })
})

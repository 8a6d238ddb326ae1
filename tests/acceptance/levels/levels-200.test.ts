import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'
import { untilRecords } from '../trips/records-fleet.ts'
import { START, tankRows } from './tank.ts'

const fleet = await startFleet()
const RANGE = 'from_time=2026-05-04&to_time=2026-05-05'
/** Drives three hours, is filled within three minutes, and drives again. */
const DAY = tankRows('lorry', 300, [
  [180, 240, true],
  [20, 239.5],
  [3, 380],
  [20, 379.6],
  [330, 270, true],
])

describe('GET /levels: 200', async () => {
  const sender = await senderWith(fleet, DAY)
  const [id] = sender.ids
  const set = (...options: string[]) =>
    fleet.run('attributes', 'set', 'fuel', '--org', String(sender.id), ...options)
  await set('--is-public', '--is-level', '--unit', 'l', '--decimals', '1')
  const levels = async (query = '') =>
    resultOf(await sender.get(`/levels?${RANGE}${query}`)) as Json[]
  await untilRecords(sender, async () => (await levels()).some(({ open }) => !open))

  it('has what was filled in, where and when', async () => {
    const [filled, ...others] = await levels()
    assert.deepEqual(others, [])
    const { kind, attribute, object_id, start_time, end_time, open, geofence_ids } = filled!
    assert.deepEqual(
      [kind, attribute, object_id, open, geofence_ids],
      ['filled', 'fuel', id, false, []],
    )
    assert.ok(Math.abs(filled!.amount - 140.5) < 2, `${filled!.amount}`)
    assert.ok(Date.parse(start_time) >= START + 195 * 60_000, start_time)
    assert.ok(Date.parse(end_time) <= START + 206 * 60_000, end_time)
    assert.equal(Math.round((filled!.after - filled!.before) * 10), Math.round(filled!.amount * 10))
  })

  it('is in what trips, stops and days say of the level, which add up', async () => {
    const of = async (path: string) =>
      (resultOf(await sender.get(`${path}&attributes=fuel`)) as Json[]).map(
        ({ attributes }) => attributes.fuel,
      )
    const [filled] = await levels()
    const [day] = await of('/days?from_date=2026-05-04&to_date=2026-05-04')
    const trips = await of(`/trips?${RANGE}`)
    const stops = await of(`/stops?${RANGE}`)
    const parts = [...trips, ...stops].filter((each) => each !== undefined)
    const total = (name: string) => parts.reduce((sum, each) => sum + each[name], 0)
    for (const name of ['used', 'filled', 'drained']) {
      assert.equal(Math.round(total(name) * 10), Math.round(day[name] * 10), name)
    }
    assert.deepEqual([day.filled, day.drained], [filled!.amount, 0])
    assert.ok(Math.abs(day.used - 170.5) < 3, `${day.used}`)
    assert.ok(Math.abs(day.first - 299.7) < 2, `${day.first}`)
    assert.ok(Math.abs(day.last - 270) < 2, `${day.last}`)
    assert.ok(Math.abs(day.max - 380) < 2, `${day.max}`)
  })
})

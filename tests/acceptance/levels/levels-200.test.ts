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
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { senderOf } from '../harness/sender.ts'

const MINUTE = 60_000
const PARKED_MINUTES = 30
const START = Date.parse('2026-11-20T08:00:00Z')

const fleet = await startFleet({ full: 0, plain: 1 })
const sender = await senderOf(fleet, fleet.take())
const { silent: van } = sender.objects

/** The van after this many minutes; 0.0001 degrees of latitude are 11 meters. */
const at = (minutes: number, latitude: number, speed: number, angle: number) => ({
  ident: IDENTS.silent,
  time_device: new Date(START + minutes * MINUTE).toISOString(),
  latitude,
  longitude: 2.2,
  speed,
  angle,
})
type Row = ReturnType<typeof at>

const drivenIn = at(0, 41.4, 30, 90)
const parked = Array.from({ length: PARKED_MINUTES }, (_, i) =>
  at(1 + i, i % 2 === 0 ? 41.4001 : 41.4002, 0, 180 + i),
)
const newest = parked.at(-1)!

/** Checks the van's present state in detail and latest. Makes two requests. */
async function assertNow({ time_device, latitude, speed, angle }: Row): Promise<void> {
  const expected = { time_device, latitude, speed, angle }
  const detail = resultOf(await sender.get(`/objects/${van}`))
  const [latest] = resultOf(await sender.get(`/positions/latest?ids=${van}`))
  for (const answered of [detail, latest]) {
    const { time_device, latitude, speed, angle } = answered
    assert.deepEqual({ time_device, latitude, speed, angle }, expected)
  }
  assert.equal(detail.time_last_stop, time_device)
}

async function historyTimes(): Promise<string[]> {
  const range = 'from_time=2026-11-20&to_time=2026-11-20'
  const rows = resultOf(await sender.get(`/objects/${van}/positions?${range}`))
  return rows.map(({ time_device }: Row) => time_device)
}

const setMinimum = (metres: number) =>
  fleet.run(
    ...['objects', 'update', String(van), '--org', String(sender.id)],
    ...['--minimum-difference-point', String(metres)],
  )

describe('Answers: the latest state of a vehicle that parks within minimum_difference_point', () => {
  it('is that of its newest packet, even if history has no row for it', async () => {
    await setMinimum(100)
    await sender.post([drivenIn])
    for (const packet of parked) await sender.post([packet])
    await assertNow(newest)
    assert.deepEqual(await historyTimes(), [drivenIn.time_device])
  })

  it('remains so after an older, late packet and after a restart', async () => {
    await sender.post([at(0.5, 41.4002, 4, 10)])
    await fleet.restart()
    await assertNow(newest)
  })

  it('remains so after a change of settings and a recompute', async () => {
    await setMinimum(0)
    await fleet.json('recompute', '--org', String(sender.id))
    await assertNow(newest)
    await setMinimum(100)
    await fleet.json('recompute', '--org', String(sender.id))
    await assertNow(newest)
  })
})

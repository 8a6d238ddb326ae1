import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clock } from '../harness/clock.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { HOURS, SIMULATED, testKey, yesterday } from '../harness/test-key.ts'

const fleet = await sharedFleet()
const MINUTE_MS = 60_000

const historyOf = async (caller: { get(path: string): Promise<never> }, object: number) =>
  resultOf(
    await caller.get(`/objects/${object}/positions?${yesterday()}&include=quality`),
  ) as Json[]

const timeOf = ({ time_device: time }: Json) => Date.parse(time)

describe('The simulated fleet of a test key', () => {
  const own = fleet.take()
  const caller = testKey(fleet, own)
  const history = async (object: number) => historyOf((await caller) as never, object)

  it('drives by the clock', async () => {
    const rows = resultOf(await (await caller).get('/positions/latest?ids=all')) as Json[]
    const [frequent] = rows
    const age = clock.now() - timeOf(frequent)
    assert.ok(age >= 0 && age < MINUTE_MS, `its newest position is ${age} ms old`)
    const driving = rows.filter(({ speed }) => speed > 0)
    assert.ok(driving.length > 0, 'at each moment a vehicle drives')
  })

  it('has one that never reported', async () => {
    const object = resultOf(await (await caller).get(`/objects/${SIMULATED.silent}`))
    assert.deepEqual([object.time_device, object.latitude, object.speed], [null, null, null])
    assert.deepEqual(await history(SIMULATED.silent), [])
  })

  it('has one that reports late', async () => {
    const rows = await history(SIMULATED.late)
    const late = rows.filter((row) => row.late)
    // Two packets of each ten minutes.
    assert.equal(late.length, 2 * 6 * HOURS)
    for (const row of late) assert.equal(Date.parse(row.time_server) - timeOf(row), 61 * MINUTE_MS)
  })

  it('has one with a gap of 20 minutes in each hour', async () => {
    const rows = await history(SIMULATED.gap)
    const gaps = rows.slice(1).filter((row, index) => timeOf(row) - timeOf(rows[index]) > MINUTE_MS)
    assert.equal(gaps.length, HOURS)
    const hour = rows.filter((row) => new Date(timeOf(row)).getUTCMinutes() === 30)
    assert.deepEqual(hour, [])
  })

  it('has one that is corrected afterwards', async () => {
    const rows = await history(SIMULATED.corrected)
    const corrected = rows.filter((row) => Date.parse(row.time_server) - timeOf(row) === MINUTE_MS)
    // One in each round of 20 minutes.
    assert.equal(corrected.length, 3 * HOURS)
    for (const row of corrected) assert.equal(row.hdop, 0.8)
  })

  it('has one that is deleted and comes back', async () => {
    const statusNow = async () => {
      const { status } = await (await caller).get(`/objects/${SIMULATED.comesBack}`)
      return status
    }
    for (let tries = 0; tries < 10 && (await statusNow()) === 200; tries += 1) {
      await own.time.pass(MINUTE_MS)
    }
    assert.equal(await statusNow(), 404)
    await own.time.pass(2 * MINUTE_MS)
    assert.equal(await statusNow(), 200)
  })
})

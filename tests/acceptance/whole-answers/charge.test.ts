import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { driven, RANGE } from '../trips/records-fleet.ts'
import { widen } from './month.ts'

const MAXIMUM = 30
const fleet = await startFleet({ full: 2, plain: 10 }, ['--max-history-rows', String(MAXIMUM)])
const DATES = 'from_date=2026-05-04&to_date=2026-05-04'
const QUIET = 'from_time=2026-05-04T00:00:00Z&to_time=2026-05-04T00:01:00Z'

describe('The charge of an answer without a limit', async () => {
  const sender = await driven(fleet, ['W-1', 'W-2', 'W-3'])
  const [first, second, third] = sender.ids as [number, number, number]
  await widen(fleet, sender)
  const setQuota = (units: number) =>
    fleet.run('org', 'update', String(sender.id), '--daily-quota', String(units))
  const QUOTA = 1_000
  await setQuota(QUOTA)
  /** The units that each object has left. A look costs each one unit. */
  const look = async () => {
    const left: number[] = []
    for (const id of sender.ids) {
      left.push(Number((await sender.get(`/objects/${id}`)).headers['x-quota-remaining']))
    }
    return left
  }
  /** Asserts that each object has paid this many units, apart from the look. */
  const assertPaid = async (before: number[], units: number) =>
    assert.deepEqual(
      await look(),
      before.map((left) => Math.max(0, left - units - 1)),
    )
  const SOME = `ids=${sender.ids}`
  const OPERATIONS = {
    trips: `/trips?${RANGE}&${SOME}`,
    stops: `/stops?${RANGE}&${SOME}`,
    visits: `/visits?${RANGE}&${SOME}`,
    days: `/days?${DATES}&${SOME}`,
    positions: `/positions?${RANGE}&${SOME}&step=600`,
  }

  for (const [name, path] of Object.entries(OPERATIONS)) {
    it(`is 1 for each object of ${name}`, async () => {
      const before = await look()
      const answer = await sender.get(path)
      assert.deepEqual(
        [...new Set(resultOf(answer).map((row: Json) => row.object_id ?? row.id))],
        sender.ids,
      )
      await assertPaid(before, 1)
    })
  }

  it('is nothing where no object has a row', async () => {
    const before = await look()
    assert.deepEqual(resultOf(await sender.get(`/trips?${QUIET}&${SOME}`)), [])
    await assertPaid(before, 0)
  })

  it('is nothing where one of them has more rows than the maximum', async () => {
    const before = await look()
    const refused = await sender.get(`/positions?${RANGE}&${SOME}`)
    assertRefused(refused, 400, 'PUBLIC.400_001', new RegExp(`\\b${MAXIMUM}\\b`))
    await assertPaid(before, 0)
    const half = 'from_time=2026-05-04T00:00:00Z&to_time=2026-05-04T00:11:00Z'
    const rows: Json[] = resultOf(await sender.get(`/positions?${half}&${SOME}`))
    assert.ok(rows.length > MAXIMUM, 'the maximum is of each object')
  })

  it('is for all or none, and for those that can pay with skip_exhausted', async () => {
    const [left] = await look()
    await setQuota(QUOTA - left! + 20)
    for (let answer = 200; answer === 200; ) {
      answer = (await sender.get(`/trips?${RANGE}&ids=${first}`)).status
    }
    const before = await look()
    for (const path of Object.values(OPERATIONS)) {
      const refused = await sender.get(path)
      assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${first}\\b`))
    }
    await assertPaid(before, 0)
    for (const more of ['', '&limit=1000']) {
      const skipped = await sender.get(`${OPERATIONS.trips}&skip_exhausted=true${more}`)
      assert.equal(skipped.headers['x-quota-exhausted'], String(first))
      assert.deepEqual(
        resultOf(skipped).map(({ object_id }: Json) => object_id),
        [second, third],
      )
    }
    await assertPaid(before, 3)
  })

  it('answers HEAD with the headers of GET', async () => {
    const path = `${OPERATIONS.trips}&skip_exhausted=true`
    await setQuota(QUOTA)
    const head = await sender.get(path, { method: 'HEAD' })
    assert.equal(head.bytes.length, 0)
    assert.ok(head.headers['x-records-until'])
    assert.ok(head.headers['x-quota-remaining'])
  })
})

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
  const QUOTA = 50
  await widen(fleet, sender)
  await fleet.run('org', 'update', String(sender.id), '--daily-quota', String(QUOTA))
  const used = async () => {
    const { objects } = resultOf(await sender.get(`/usage?ids=${sender.ids}`)).quota
    return new Map(objects.map((each: Json) => [each.id, each.used]))
  }
  const ofEach = (values: Map<unknown, unknown>) => sender.ids.map((id) => values.get(id) as number)
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
      const before = ofEach(await used())
      const answer = await sender.get(path)
      assert.deepEqual(
        [...new Set(resultOf(answer).map((row: Json) => row.object_id ?? row.id))],
        sender.ids,
      )
      assert.deepEqual(
        ofEach(await used()),
        before.map((units) => units + 1),
      )
    })
  }

  it('is nothing where no object has a row', async () => {
    const before = ofEach(await used())
    assert.deepEqual(resultOf(await sender.get(`/trips?${QUIET}&${SOME}`)), [])
    assert.deepEqual(ofEach(await used()), before)
  })

  it('is nothing where one of them has more rows than the maximum', async () => {
    const before = ofEach(await used())
    const refused = await sender.get(`/positions?${RANGE}&${SOME}`)
    assertRefused(refused, 400, 'PUBLIC.400_001', new RegExp(`\\b${MAXIMUM}\\b`))
    assert.deepEqual(ofEach(await used()), before)
    const half = 'from_time=2026-05-04T00:00:00Z&to_time=2026-05-04T00:11:00Z'
    const rows: Json[] = resultOf(await sender.get(`/positions?${half}&${SOME}`))
    assert.ok(rows.length > MAXIMUM, 'the maximum is of each object')
  })

  it('is for all or none, and for those that can pay with skip_exhausted', async () => {
    const spent = ofEach(await used())[0]!
    await fleet.run('org', 'update', String(sender.id), '--daily-quota', String(spent + 2))
    for (let left = 2; left > 0; left -= 1) {
      resultOf(await sender.get(`/trips?${RANGE}&ids=${first}`))
    }
    const before = ofEach(await used())
    for (const [name, path] of Object.entries(OPERATIONS)) {
      const refused = await sender.get(path)
      assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${first}\\b`))
      assert.deepEqual(ofEach(await used()), before, name)
    }
    for (const more of ['', '&limit=1000']) {
      const skipped = await sender.get(`${OPERATIONS.trips}&skip_exhausted=true${more}`)
      assert.equal(skipped.headers['x-quota-exhausted'], String(first))
      assert.deepEqual(
        resultOf(skipped).map(({ object_id }: Json) => object_id),
        [second, third],
      )
    }
    const after = before.map((units, index) => (index === 0 ? units : units + 2))
    assert.deepEqual(ofEach(await used()), after)
  })

  it('answers HEAD with the headers of GET', async () => {
    const path = `${OPERATIONS.trips}&skip_exhausted=true`
    await fleet.run('org', 'update', String(sender.id), '--daily-quota', String(QUOTA))
    const head = await sender.get(path, { method: 'HEAD' })
    assert.equal(head.bytes.length, 0)
    assert.ok(head.headers['x-records-until'])
    assert.ok(head.headers['x-quota-remaining'])
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { kindsOf, START, tankFleet, tankRows } from './tank.ts'

const fleet = await startFleet({ full: 0, plain: 3 }, [], { isAlone: true })
const DAY_MS = 86_400_000

/** A day whose filling ends shortly before the last row, and the rows after it. */
const day = (ident: string) =>
  tankRows(ident, 300, [
    [120, 250, true],
    [20, 250],
    [3, 380],
    [12, 380],
  ])
const rest = (ident: string) => {
  const from = day(ident).length
  return tankRows(ident, 300, [
    [120, 250, true],
    [20, 250],
    [3, 380],
    [12, 380],
    [200, 340, true],
  ]).slice(from)
}

describe('A change of level', async () => {
  const tanks = await tankFleet(fleet, day('kept'))
  const [opened] = await tanks.until((all) => all.length === 1)

  it('is open while the next positions may move it, over a restart too', async () => {
    assert.equal(opened!.open, true)
    assert.equal(opened!.kind, 'filled')
    await fleet.restart()
    assert.deepEqual(await tanks.levels(), [opened])
    await tanks.post(rest('kept'))
    const [closed, ...others] = await tanks.until(([first]) => first?.open === false)
    assert.deepEqual(others, [])
    assert.equal(closed!.id, opened!.id)
    assert.ok(closed!.revision > opened!.revision)
    assert.ok(Math.abs(closed!.amount - 130) < 3, `${closed!.amount}`)
  })

  it('goes when its retention is over', async () => {
    const { cursor } = resultOf(await tanks.get('/changes?from=snapshot&types=levels'))
    const days = Math.floor((Date.now() - START) / DAY_MS) - 3
    await fleet.run('org', 'update', String(tanks.id), '--retention-days', String(days))
    const { changes } = resultOf(await tanks.get(`/changes?cursor=${cursor}`))
    assert.deepEqual(
      changes.map(({ type }: Json) => type),
      ['retention'],
    )
    assert.deepEqual(kindsOf(await tanks.levels()), [])
    const from = resultOf(await tanks.get('/changes?from=snapshot&types=levels'))
    assert.deepEqual(
      from.changes.map(({ type }: Json) => type),
      ['retention'],
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { allPages } from '../harness/pages.ts'
import { scoped } from '../harness/scoped.ts'
import { filledAndDrained, kindsOf, RANGE, START, tankFleet } from './tank.ts'

const fleet = await startFleet()
const WHOLE = `/levels?${RANGE}`

/** The day of a lorry that sends the content of a second tank too. */
function twoTanks(ident: string): Json[] {
  return filledAndDrained(ident).map((row) => {
    const { fuel } = row.attributes
    return { ...row, attributes: { fuel, urea: Math.round(fuel * 2.5) / 10 } }
  })
}

describe('GET /levels shows', async () => {
  const tanks = await tankFleet(fleet, [...twoTanks('one'), ...filledAndDrained('two')])
  const [one, two] = tanks.ids as [number, number]
  const org = ['--org', String(tanks.id)]
  await tanks.set('urea', '--is-public', '--is-level', '--threshold', '5')
  // Its keys share a window.
  await fleet.run('org', 'update', String(tanks.id), '--window-requests', '1000')
  const all = await tanks.until((found) => found.length === 6 && found.every(({ open }) => !open))
  const names = (rows: Json[]) => [...new Set(rows.map(({ attribute }) => attribute))].sort()
  const holder = (...scope: string[]) => scoped(fleet, tanks, ...scope)
  const seenBy = async (caller: { get: typeof tanks.get }) => {
    const { changes } = resultOf(await caller.get('/changes?from=snapshot&types=levels'))
    const listed = resultOf(await caller.get(WHOLE)) as Json[]
    const levels = changes.flatMap(({ level }: Json) => level ?? [])
    assert.deepEqual(levels, listed)
    return listed
  }

  it('both tanks by object, then by start, in one answer and in pages', async () => {
    assert.deepEqual(names(all), ['fuel', 'urea'])
    const order = all.map(({ object_id, start_time }) => [object_id, start_time])
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)),
    )
    for (const limit of [1, 4]) {
      const { rows, answers } = await allPages(tanks.get, `${WHOLE}&limit=${limit}`)
      assert.deepEqual(rows, all)
      assert.ok(answers.length >= 6 / limit)
    }
    assert.deepEqual(await tanks.levels(`&ids=${two}`), all.slice(4))
    assert.deepEqual(
      kindsOf(await tanks.levels('&min_duration=600')),
      kindsOf(all).filter((kind) => kind === 'drained'),
    )
  })

  it('the levels that are named, and refuses other names', async () => {
    const fuel = await tanks.levels('&attributes=fuel')
    assert.deepEqual(
      fuel,
      all.filter(({ attribute }) => attribute === 'fuel'),
    )
    const { rows } = await allPages(tanks.get, `${WHOLE}&attributes=urea&limit=1`)
    assert.deepEqual(names(rows), ['urea'])
    assertRefused(
      await tanks.get(`${WHOLE}&attributes=nothing`),
      400,
      'PUBLIC.400_001',
      /"nothing"/,
    )
    assertRefused(await tanks.get(`${WHOLE}&attributes=`), 400, 'PUBLIC.400_001')
    assertRefused(await tanks.get(`${WHOLE}&include=attributes`), 400, 'PUBLIC.400_001')
  })

  it('to a key with a scope only the attributes, the objects and the times of that', async () => {
    const urea = await holder('--attributes', 'urea')
    assert.deepEqual(names(await seenBy(urea)), ['urea'])
    assertRefused(await urea.get(`${WHOLE}&attributes=fuel`), 400, 'PUBLIC.400_001')
    await tanks.set('driver', '--type', 'text', '--sources', 'driver', '--is-public')
    const other = await holder('--attributes', 'driver')
    assert.deepEqual(await seenBy(other), [])
    const second = await holder('--objects', String(two))
    assert.deepEqual(await seenBy(second), all.slice(4))
    const noon = new Date(START + 300 * 60_000).toISOString()
    const early = await holder('--data-until', noon)
    assert.deepEqual(kindsOf(await seenBy(early)), ['filled', 'filled', 'filled'])
    const late = await holder('--data-from', noon)
    assert.deepEqual(kindsOf(await seenBy(late)), ['drained', 'drained', 'drained'])
  })

  it('nothing without the operation, and nothing while the subscription is not active', async () => {
    const caller = await holder('--operations', 'changes,positions')
    assertRefused(await caller.get(WHOLE), 403, 'PUBLIC.403_001')
    assertRefused(await caller.get('/changes?types=levels'), 403, 'PUBLIC.403_001')
    const records = await holder('--operations', 'changes,records')
    assert.deepEqual(await seenBy(records), all)
    await fleet.run('org', 'update', String(tanks.id), '--subscription', 'suspended')
    for (const path of [WHOLE, '/changes?types=levels']) {
      const { status } = await tanks.get(path)
      assert.equal(status, 403, path)
    }
    await fleet.run('org', 'update', String(tanks.id), '--subscription', 'active')
  })

  it('an attribute that is not public to nobody, and ends cursors when it becomes public', async () => {
    const { cursor } = resultOf(await tanks.get('/changes?from=now&types=levels'))
    await fleet.json('attributes', 'hide', 'urea', ...org)
    assert.equal((await tanks.get(`/changes?cursor=${cursor}`)).status, 410)
    assert.deepEqual(names(await seenBy(tanks)), ['fuel'])
    assertRefused(await tanks.get(`${WHOLE}&attributes=urea`), 400, 'PUBLIC.400_001')
    const { cursor: hidden } = resultOf(await tanks.get('/changes?from=now&types=levels'))
    await fleet.json('attributes', 'publish', 'urea', ...org)
    assert.equal((await tanks.get(`/changes?cursor=${hidden}`)).status, 410)
    // They were kept: a hidden level is derived too.
    assert.deepEqual(await tanks.levels(), all)
  })

  it('nothing of another organization', async () => {
    const stranger = fleet.take()
    assertRefused(await stranger.get(`${WHOLE}&ids=${one}`), 404, 'PUBLIC.404_001')
    assert.deepEqual(resultOf(await stranger.get(WHOLE)), [])
  })

  it('nothing after the object was deleted', async () => {
    const { cursor } = resultOf(await tanks.get('/changes?from=now&types=levels'))
    await fleet.run('objects', 'delete', String(one), '--yes', ...org)
    const { changes } = resultOf(await tanks.get(`/changes?cursor=${cursor}`))
    assert.deepEqual(
      changes.map(({ type, op, id }: Json) => [type, op, id]),
      [['object', 'delete', one]],
    )
    assert.deepEqual(await tanks.levels(), all.slice(4))
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ITEMS, type Item } from './items.ts'
import { isThere, judge } from './judge.ts'
import { LEFT_OUT, SECTIONS } from './left-out.ts'
import type { Outcome } from './reporter.ts'

const FILE = 'tests/chaos/security/judge.test.ts'
const NAME = 'is met by a passed test'

describe('An item', () => {
  const item: Item = { id: 'X1', name: 'x', rule: 'x', test: { file: FILE, name: NAME } }
  const outcome: Outcome = { file: `/any/${FILE}`, name: NAME, passed: true, skipped: null }
  const met = (...outcomes: Outcome[]) => judge(item, outcomes).met

  it('is met by a passed test', () => assert.ok(met(outcome)))

  it('is not met by a failed, skipped or different test', () => {
    assert.ok(!met({ ...outcome, passed: false }))
    assert.ok(!met(outcome, { ...outcome, passed: false }))
    assert.ok(!met())
    assert.ok(!met({ ...outcome, file: '/any/other.test.ts' }))
    assert.ok(!met({ ...outcome, name: 'another' }))
  })

  it('is not met by a test that its file lacks', () => {
    const test = { file: FILE, name: ['no', 'such', 'test'].join(' ') }
    const passed = { ...outcome, name: test.name }
    assert.equal(judge({ ...item, test }, [passed]).measured, 'there is no such test')
  })

  it('is left out without its tool, and says so', () => {
    const { measured, bar } = judge(item, [{ ...outcome, skipped: 'openssl is not installed' }])
    assert.deepEqual([measured, bar], ['left out: openssl is not installed', ''])
  })
})

describe('The items', () => {
  it('name existing tests', () => {
    for (const { id, test } of ITEMS) assert.ok(isThere(test), `${id}: ${test.file}: ${test.name}`)
  })

  it('cover both lists exactly once, together with the omitted ones', () => {
    const all = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, i) => `${section}.${i + 1}`),
    )
    assert.equal(all.length, 345)
    const left = LEFT_OUT.flatMap(({ ids }) =>
      ids.flatMap((id) => {
        const meant = all.filter((each) => each === id || each.startsWith(`${id}.`))
        assert.ok(meant.length > 0, `there is no ${id}`)
        return meant
      }),
    )
    const kept = ITEMS.map(({ id }) => id.replace('v5.0.0-', '')).filter((id) => /^\d/.test(id))
    const counts = new Map<string, number>()
    for (const id of [...left, ...kept]) counts.set(id, (counts.get(id) ?? 0) + 1)
    assert.deepEqual(
      all.filter((id) => counts.get(id) !== 1),
      [],
    )
    assert.equal(counts.size, all.length)
    const top10 = ITEMS.filter(({ id }) => id.startsWith('API')).map(({ id }) => id)
    assert.deepEqual(
      top10,
      Array.from({ length: 10 }, (_, i) => `API${i + 1}:2023`),
    )
  })
})

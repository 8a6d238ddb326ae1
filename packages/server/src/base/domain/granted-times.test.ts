import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Grant } from './grant.ts'
import { grantedTimes, intervalsOf, isOpenIn } from './granted-times.ts'
import { firstFrom, partsIn, rangeAt } from './time/ranges.ts'

const LAST = 40
const time = fc.option(fc.integer({ min: 0, max: LAST }), { nil: null })
const grant = fc.record({
  objects: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1 }), {
    nil: null,
  }),
  from: time,
  until: time,
  attributes: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b')), { nil: null }),
})
const grants = fc
  .array(grant, { maxLength: 6 })
  .map((all): Grant[] => all.filter(({ from, until }) => (from ?? 0) <= (until ?? LAST)))

const isOpen = (all: readonly Grant[], object: number, at: number) =>
  all.some((each) => shows(each, object, at))
function shows({ objects, from, until }: Grant, object: number, at: number): boolean {
  return (objects?.includes(object) ?? true) && (from ?? 0) <= at && at <= (until ?? LAST + 9)
}
const MOMENTS = Array.from({ length: LAST + 5 }, (_, at) => at)

describe('The times that grants show', () => {
  it('are those of each millisecond, in intervals with gaps between them', () => {
    fc.assert(
      fc.property(grants, fc.integer({ min: 1, max: 4 }), (all, object) => {
        const intervals = grantedTimes(all)(object)
        for (const at of MOMENTS) {
          assert.equal(rangeAt(intervals, at) !== undefined, isOpen(all, object, at), `${at}`)
        }
        for (const [index, { from, to }] of intervals.entries()) {
          assert.ok(from <= to)
          assert.ok(index === 0 || intervals[index - 1]!.to + 1 < from)
        }
      }),
    )
  })

  it('open the attributes of all grants of a moment', () => {
    fc.assert(
      fc.property(grants, fc.nat(LAST), fc.nat(LAST), (all, one, other) => {
        const range = { from: Math.min(one, other), to: Math.max(one, other) }
        const interval = rangeAt(grantedTimes(all)(1), range.from)
        if (interval === undefined || interval.to < range.to) return
        for (const name of ['a', 'b']) {
          const expected = MOMENTS.filter((at) => at >= range.from && at <= range.to).every((at) =>
            all.some((each) => shows(each, 1, at) && (each.attributes?.includes(name) ?? true)),
          )
          assert.equal(isOpenIn(interval, range, name), expected)
        }
      }),
    )
  })

  it('cut a range into parts', () => {
    fc.assert(
      fc.property(grants, fc.nat(LAST), fc.nat(LAST), (all, from, to) => {
        const intervals = intervalsOf(all)
        const parts = partsIn(intervals, { from, to })
        for (const at of MOMENTS) {
          const expected = at >= from && at <= to && rangeAt(intervals, at) !== undefined
          assert.equal(rangeAt(parts, at) !== undefined, expected)
        }
        const next = MOMENTS.find((at) => at >= from && rangeAt(intervals, at) !== undefined)
        if (next !== undefined) assert.equal(firstFrom(intervals, from), rangeAt(intervals, next))
      }),
    )
  })
})

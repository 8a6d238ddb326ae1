import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { joinedRanges, rangeAt } from './ranges.ts'
import { isWithin } from './time.ts'

const LAST = 60
const anyRanges = fc.array(
  fc
    .tuple(fc.nat(LAST), fc.nat(LAST))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
)

it('Joined ranges have the moments of all, with gaps between them', () => {
  fc.assert(
    fc.property(anyRanges, (ranges) => {
      const joined = joinedRanges(ranges)
      for (const [index, { from }] of joined.entries()) {
        assert.ok(index === 0 || joined[index - 1]!.to + 1 < from)
      }
      for (let time = 0; time <= LAST; time += 1) {
        const isIn = ranges.some((range) => isWithin(range, time))
        assert.equal(rangeAt(joined, time) !== undefined, isIn, `${time}`)
      }
    }),
  )
})

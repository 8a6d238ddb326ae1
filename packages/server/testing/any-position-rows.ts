import fc from 'fast-check'
import { packFix } from '../src/base/domain/position/fix-record.ts'
import { type PositionRow, packRowFold } from '../src/engine/tracking/stored-position.ts'
import { anyFixWithAttributes, NAMES } from './any-attributes.ts'
import { anyCounters, anyMoment, known } from './any-fix.ts'
import { anyFoldState } from './any-fold-state.ts'

const anyRow = fc.record({
  fix: anyFixWithAttributes,
  fold: anyFoldState,
  counters: anyCounters,
  isLate: fc.boolean(),
  change: fc.nat(2 ** 31 - 1),
  hidden: known(fc.nat(2 ** 31 - 1)),
  /** How the times of the fold state follow the row. */
  moves: fc.boolean(),
})

type Draft = typeof anyRow extends fc.Arbitrary<infer T> ? T : never

/** Any rows that a store can have of one object, in the order of their times; also more than between two restarts. */
export const anyPositionRows: fc.Arbitrary<PositionRow[]> = fc
  .tuple(
    fc.array(anyRow, { minLength: 1, maxLength: 8 }),
    fc.array(fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constant(1_000), anyMoment), {
      minLength: 1,
      maxLength: 150,
    }),
    fc.array(fc.nat(7), { minLength: 1, maxLength: 20 }),
  )
  .map(([drafts, steps, order]) => {
    const start = drafts[0]!.fix.timeDevice
    let time = start
    return steps.map((step, i) => {
      time = Math.min(time + (i === 0 ? 0 : step), 2 ** 47 + i)
      return rowAt(drafts[order[i % order.length]! % drafts.length]!, time, time - start)
    })
  })

/** The counters grow by `distance`, so that a row is not always like another. */
function rowAt({ fix, fold, counters, isLate, ...draft }: Draft, time: number, distance: number) {
  const timed = { ...fix, timeDevice: time }
  const odometer = counters.odometer === null ? null : (counters.odometer + distance) % 1e14
  const moved = { ...fold, at: time, ...(draft.moves ? { anchor: { ...fold.anchor, time } } : {}) }
  const { motion } = fold
  return {
    fix: packFix(timed, { ...counters, odometer }, { motion, isLate }, NAMES),
    track: packRowFold(moved, timed),
    change: draft.change,
    hidden: draft.hidden,
  }
}

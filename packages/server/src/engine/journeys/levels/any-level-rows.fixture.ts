import fc from 'fast-check'
import type { LevelRow } from './samples.ts'

/** Rows with slosh, steps, spikes, gaps and any motion, in the order of their times. */
export const anyLevelRows: fc.Arbitrary<LevelRow[]> = fc
  .array(
    fc.record({
      gap: fc.constantFrom(1_000, 10_000, 120_000, 3_000_000),
      step: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: -30, max: 20 }) },
        { weight: 1, arbitrary: fc.integer({ min: -2_000, max: 2_000 }) },
      ),
      spike: fc.option(fc.constantFrom(null, 0, 4_000), { freq: 8, nil: undefined }),
      motion: fc.constantFrom('moving', 'moving', 'idle', 'stopped', null),
      hasDriven: fc.boolean(),
    }),
    { minLength: 1, maxLength: 600, size: 'max' },
  )
  .map((steps) => {
    let [time, level] = [0, 2_000]
    return steps.map(({ gap, step, spike, motion, hasDriven }) => {
      time += gap
      level = Math.min(4_000, Math.max(0, level + step))
      return { time, value: spike === undefined ? level : spike, motion, hasDriven }
    })
  })

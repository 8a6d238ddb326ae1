import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { atHand, runAwaiting } from '../../engine/tracking/work.ts'
import type { StoredRow } from '../positions/stored-blocks.ts'
import { type PositionWindow, positionWindow } from './position-window.ts'
import type { ReadAround } from './row-range.ts'

const DAY = 86_400_000
const AHEAD = { earlier: 16, later: 64, chunk: 128, maxChunk: 512 }

/** Dense groups with long gaps between them, so that both bounds and chunks matter. */
const anyTimes: fc.Arbitrary<number[]> = fc
  .array(
    fc.record({
      pause: fc.constantFrom(0, 1_000, DAY, 13 * DAY, 15 * DAY, 400 * DAY),
      count: fc.constantFrom(1, 2, 15, 16, 17, 64, 65, 300, 700),
      every: fc.constantFrom(1, 10_000, 6 * 3_600_000),
    }),
    { maxLength: 4 },
  )
  .map((runs) => {
    const times: number[] = []
    let time = 0
    for (const { pause, count, every } of runs) {
      time += pause
      for (let index = 0; index < count; index += 1) {
        time += every
        times.push(time)
      }
    }
    return times
  })

type Step =
  | { ask: 'at' | 'before' | 'put'; of: number; by: number }
  | { ask: 'after'; of: number; by: number; limit: number }
  | { ask: 'newest'; every: number }

const anyPlace = { of: fc.nat(3_000), by: fc.constantFrom(-DAY, -1, 0, 0, 1, 20 * DAY) }
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ ask: fc.constantFrom('at' as const, 'before' as const), ...anyPlace }),
  fc.record({ ask: fc.constant('put' as const), ...anyPlace }),
  fc.record({
    ask: fc.constant('after' as const),
    ...anyPlace,
    limit: fc.constantFrom(1, 4, 64, 600),
  }),
  fc.record({ ask: fc.constant('newest' as const), every: fc.constantFrom(1, 2, 97, 5_000) }),
)

describe('The window on an object’s positions', () => {
  it('shows stored and newly put positions for every query', async () => {
    await fc.assert(
      fc.asyncProperty(anyTimes, fc.array(anyStep, { maxLength: 25 }), async (times, steps) => {
        const stored = times.map((time) => row(time, 0))
        const window = positionWindow(readsOf(stored).read, times.at(-1) ?? null, new Map(), AHEAD)
        const model = new Map(stored.map((each) => [each.time, each]))
        for (const [index, step] of steps.entries()) {
          if (step.ask === 'newest') {
            const is = ({ time }: StoredRow) => time % step.every === 0
            const expected = sorted(model).findLast(is) ?? null
            assert.equal(await runAwaiting(window.newest(is)), expected)
            continue
          }
          const time = Math.max(0, (times[step.of % times.length] ?? 5_000) + step.by)
          if (step.ask === 'put') {
            const put = row(time, index + 1)
            window.put(put)
            model.set(time, put)
          } else {
            await assertSame(window, model, step, time)
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('reads once around a late fix, and little far behind it', async () => {
    const stored = Array.from({ length: 50_000 }, (_, index) => row(index * 10_000, 0))
    const { read, asked } = readsOf(stored)
    const window = positionWindow(read, stored.at(-1)!.time, new Map(), AHEAD)
    const late = 40_000 * 10_000 + 5
    assert.equal(await runAwaiting(window.at(late)), null)
    assert.equal((await runAwaiting(window.before(late)))?.time, late - 5)
    assert.equal((await runAwaiting(window.after(late, 60))).length, 60)
    assert.equal(asked(), 1)
    assert.equal((await runAwaiting(window.at(10_000)))?.time, 10_000)
    assert.equal((await runAwaiting(window.after(late, 4)))[0]?.time, late - 5 + 10_000)
    assert.equal(asked(), 2)
    assert.equal((await runAwaiting(window.after(late, 1_000))).length, 1_000)
    assert.ok(asked() <= 4, `${asked()} reads`)
  })

  it('reads nothing for an object without positions', async () => {
    const { read, asked } = readsOf([])
    const window = positionWindow(read, null, new Map(), AHEAD)
    assert.equal(await runAwaiting(window.before(7)), null)
    window.put(row(5, 1))
    assert.equal((await runAwaiting(window.before(7)))?.time, 5)
    assert.deepEqual(await runAwaiting(window.after(5, 3)), [])
    assert.equal(asked(), 0)
  })
})

async function assertSame(
  window: PositionWindow,
  model: Map<number, StoredRow>,
  step: Extract<Step, { of: number }>,
  time: number,
) {
  const all = sorted(model)
  if (step.ask === 'at') {
    assert.equal(await runAwaiting(window.at(time)), model.get(time) ?? null)
  } else if (step.ask === 'before') {
    const expected = all.findLast((each) => each.time < time) ?? null
    assert.equal(await runAwaiting(window.before(time)), expected)
  } else if (step.ask === 'after') {
    const expected = all.filter((each) => each.time > time).slice(0, step.limit)
    const shown = await runAwaiting(window.after(time, step.limit))
    assert.deepEqual(shown.map(comparable), expected.map(comparable))
  }
}

function row(time: number, change: number): StoredRow {
  return { time, change, hidden: null, fix: new Uint8Array(0), track: new Uint8Array(0) }
}

const comparable = ({ time, change }: StoredRow) => [time, change]

function sorted(model: Map<number, StoredRow>): StoredRow[] {
  return [...model.values()].sort((a, b) => a.time - b.time)
}

/** Records the reads of existing rows. */
function readsOf(stored: readonly StoredRow[]): { read: ReadAround; asked(): number } {
  let asked = 0
  return {
    asked: () => asked,
    read(time, { from, to }, counts) {
      asked += 1
      const inBounds = stored.filter((each) => from <= each.time && each.time <= to)
      const earlier = inBounds.filter((each) => each.time < time)
      const later = inBounds.filter((each) => each.time >= time)
      return atHand({
        earlier: earlier.slice(Math.max(0, earlier.length - counts.earlier)),
        later: later.slice(0, counts.later),
      })
    },
  }
}

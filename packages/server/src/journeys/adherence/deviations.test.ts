import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { type Deviation, Deviations } from './deviations.ts'

const MINUTE = 60_000

type Position = { time: number; distance: number; silent: number }

function found(positions: readonly Position[]): Deviation[] {
  const deviations = new Deviations(50)
  for (const { time, distance, silent } of positions) deviations.add(time, distance, silent)
  return deviations.all()
}

/** Each position outside begins a deviation, unless it belongs to the one before. */
function plain(positions: readonly Position[]): Deviation[] {
  const deviations: { -readonly [Field in keyof Deviation]: Deviation[Field] }[] = []
  for (const [index, { time, distance }] of positions.entries()) {
    if (distance <= 50) continue
    const last = deviations.at(-1)
    const since = positions.slice(0, index).filter((each) => last && each.time > last.end)
    if (last === undefined || since.some((each) => each.time - last.end > 2 * MINUTE)) {
      deviations.push({ start: time, end: time, silentTime: 0, greatestDistance: distance })
    } else {
      last.end = time
      last.greatestDistance = Math.max(last.greatestDistance, distance)
    }
  }
  for (const each of deviations) {
    const within = positions.filter(({ time }) => time > each.start && time <= each.end)
    each.silentTime = within.reduce((sum, { silent }) => sum + silent, 0)
  }
  return deviations
}

it('a return of more than two minutes ends a deviation, and a gap does not', () => {
  const at = (minutes: number, distance: number, silent = 0) => {
    return { time: minutes * MINUTE, distance, silent }
  }
  assert.deepEqual(found([at(0, 50), at(1, 51), at(2, 80), at(3, 0), at(4, 60), at(5, 0)]), [
    { start: MINUTE, end: 4 * MINUTE, silentTime: 0, greatestDistance: 80 },
  ])
  assert.equal(found([at(0, 60), at(1, 0), at(3, 0), at(4, 60)]).length, 2)
  assert.equal(found([at(0, 60), at(60, 70)]).length, 1)
  assert.equal(found([at(0, 60), at(90, 70, 90 * MINUTE)])[0]!.silentTime, 90 * MINUTE)
  assert.deepEqual(found([at(0, 0)]), [])
})

it('deviations are those of a plain computation', () => {
  const anyPositions = fc.array(
    fc.record({
      wait: fc.constantFrom(1_000, 50_000, MINUTE, 2 * MINUTE, 3 * MINUTE),
      distance: fc.constantFrom(0, 50, 50.1, 900),
      silent: fc.constantFrom(0, 0, 7),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(anyPositions, (steps) => {
      let time = 0
      const positions = steps.map(({ wait, distance, silent }) => {
        time += wait
        return { time, distance, silent }
      })
      assert.deepEqual(found(positions), plain(positions))
    }),
    { numRuns: 500 },
  )
})

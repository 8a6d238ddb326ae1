import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyLevelRows } from './any-level-rows.fixture.ts'
import { LevelFold } from './level-fold.ts'
import { type SettledEvent, UNSETTLED, type Unsettled } from './level-state.ts'
import { foldOf, joined, sumsOf } from './level-trial.fixture.ts'
import { defaultLevelSettings, type LevelRow } from './samples.ts'
import { MIN_SIDE } from './smoothing.ts'

const SETTINGS = defaultLevelSettings(null, 10)
const MINUTE = 60_000

/** Liters, each two minutes, of a driving object. */
function driving(...litres: (number | null)[]): LevelRow[] {
  return litres.map((value, at) => ({
    time: at * 2 * MINUTE,
    value: value === null ? null : value * 10,
    motion: 'moving',
    hasDriven: false,
  }))
}

function foldedLitres(rows: readonly LevelRow[]) {
  const { points, events } = foldOf(rows, SETTINGS)
  const [sum] = sumsOf(points, [Number.POSITIVE_INFINITY])
  const litres = Object.entries(sum!).map(([name, units]) => [name, units / 10])
  return { sum: Object.fromEntries(litres), events }
}

describe('A level', () => {
  it('has fuel that was filled in within a trip', () => {
    const { sum, events } = foldedLitres(driving(40, 38, 90, 88))
    assert.deepEqual(sum, {
      ...{ first: 40, last: 88, min: 38, max: 90 },
      ...{ filled: 52, drained: 0, used: 4 },
    })
    const times = { start: 2 * MINUTE, end: 4 * MINUTE, reach: { from: 0, to: 6 * MINUTE } }
    assert.deepEqual(events, [{ kind: 'filled', ...times, before: 380, after: 900 }])
  })

  it('does not follow a spike', () => {
    const { sum, events } = foldedLitres(driving(60, 59, 0, 58))
    assert.deepEqual(sum, {
      ...{ first: 60, last: 58, min: 58, max: 60 },
      ...{ filled: 0, drained: 0, used: 2 },
    })
    assert.deepEqual(events, [])
  })

  it('keeps a standing object’s drain apart from what it used', () => {
    const parked = (time: number, litres: number): LevelRow => {
      return { time: time * MINUTE, value: litres * 10, motion: 'stopped', hasDriven: false }
    }
    const rows = [
      ...driving(80, 79, 78, 77, 76, 75),
      ...[20, 30, 40, 50, 60, 70, 80].map((time, at) =>
        parked(time, [75, 74, 60, 50, 50, 50, 50][at]!),
      ),
    ]
    const { sum, events } = foldedLitres(rows)
    assert.equal(sum.drained, 24)
    assert.equal(sum.used, 6)
    assert.deepEqual(
      events.map(({ kind, before, after }) => [kind, before, after]),
      [['drained', 740, 500]],
    )
  })

  it('does not count the values of a parked sensor without power', () => {
    const zero = driving(60, 59, 58).concat(
      [10, 20, 30, 40, 50].map((time) => ({
        ...{ time: time * MINUTE, value: 0, motion: 'stopped', hasDriven: false },
      })),
    )
    assert.deepEqual(foldedLitres(zero).events, [])
  })

  it('settles an event by later values', () => {
    const rows = driving(40, 38, 90, 88, 88, 87, 87, 86, 86, 85)
    const fold = new LevelFold(SETTINGS)
    const settled = rows.map((row) => fold.add(row).events.length)
    assert.deepEqual(settled, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    const unsettled = foldOf(rows.slice(0, 7), SETTINGS).events
    assert.deepEqual(unsettled, foldOf(rows, SETTINGS).events)
  })
})

const RUNS = { numRuns: Number(process.env.SEEDS ?? 150) }

describe('The fold of a level', () => {
  it('uses at least minus the threshold over any time', () => {
    fc.assert(
      fc.property(anyLevelRows, (rows) => {
        let lowest = Number.POSITIVE_INFINITY
        for (const { level, filled, drained } of foldOf(rows, SETTINGS).points) {
          const rest = level - filled + drained
          lowest = Math.min(lowest, rest)
          assert.ok(rest - lowest <= SETTINGS.threshold, `${rest} after ${lowest}`)
        }
      }),
      RUNS,
    )
  })

  it('counts in its points what its events count, each at least the threshold', () => {
    fc.assert(
      fc.property(anyLevelRows, (rows) => {
        const { points, events } = foldOf(rows, SETTINGS)
        const sum = { filled: 0, drained: 0 }
        let end = Number.NEGATIVE_INFINITY
        for (const event of events) {
          const amount = (event.after - event.before) * (event.kind === 'filled' ? 1 : -1)
          assert.ok(amount >= SETTINGS.threshold)
          assert.ok(event.start < event.end && event.start >= end)
          sum[event.kind] += amount
          end = event.end
        }
        const { filled, drained } = points.at(-1) ?? sum
        assert.deepEqual({ filled, drained }, sum)
        assert.deepEqual(
          points.map(({ time }) => time),
          points.map(({ time }) => time).toSorted((a, b) => a - b),
        )
      }),
      RUNS,
    )
  })

  it('adds up over spans, however a time is divided', () => {
    const divided = fc.tuple(anyLevelRows, fc.array(fc.nat(600 * 120_000), { maxLength: 20 }))
    fc.assert(
      fc.property(divided, ([rows, cuts]) => {
        const { points } = foldOf(rows, SETTINGS)
        const ends = [...cuts.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY]
        const parts = sumsOf(points, ends).filter((sum) => sum !== null)
        const [whole] = sumsOf(points, [Number.POSITIVE_INFINITY])
        for (const name of ['used', 'filled', 'drained'] as const) {
          assert.equal(
            parts.reduce((sum, part) => sum + part[name], 0),
            whole?.[name] ?? 0,
          )
        }
        parts.forEach((part, at) => {
          if (at > 0) assert.equal(part.first, parts[at - 1]!.last)
        })
      }),
      RUNS,
    )
  })

  it('is the same for any order of arrival', () => {
    const arrivals = anyLevelRows.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { maxLength: Math.min(40, rows.length) }),
      ),
    )
    fc.assert(
      fc.property(arrivals, ([rows, late]) => {
        const isLate = new Set(late)
        const store = new Rewinding()
        for (const row of rows) if (!isLate.has(row)) store.take(row)
        for (const row of late) {
          store.take(row)
          // A packet that comes twice replaces its row.
          store.take({ ...row })
        }
        assert.deepEqual(store.levels(), foldOf(rows, SETTINGS))
      }),
      RUNS,
    )
  })

  it('has the numbers of an event from the rows of its reach alone', () => {
    const changes = fc.array(fc.tuple(fc.nat(600), fc.integer({ min: -15, max: 15 })))
    let compared = 0
    fc.assert(
      fc.property(anyLevelRows, changes, (rows, changed) => {
        const { events } = foldOf(rows, SETTINGS)
        for (const event of events) {
          const { from, to } = event.reach
          assert.ok(from <= event.start && event.end <= to)
          const others = rows.slice()
          for (const [at, by] of changed) {
            const row = others[at]
            if (row === undefined || row.value === null || (from <= row.time && row.time <= to))
              continue
            others[at] = { ...row, value: Math.max(1, row.value + by) }
          }
          const same = foldOf(others, SETTINGS).events.find(
            ({ kind, start, end, reach }) =>
              kind === event.kind &&
              start === event.start &&
              end === event.end &&
              reach.from === from &&
              reach.to === to,
          )
          if (same === undefined) continue
          assert.deepEqual(same, event)
          compared += 1
        }
      }),
      // So that how many are compared does not depend on chance.
      { numRuns: RUNS.numRuns / 5, seed: 58 },
    )
    assert.ok(compared > RUNS.numRuns, `${compared} events`)
  })

  it('settles what no later row changes', () => {
    fc.assert(
      fc.property(anyLevelRows, (rows) => {
        const fold = new LevelFold(SETTINGS)
        const settled = joined(rows.map((row) => fold.add(row)))
        const { points, events } = foldOf(rows, SETTINGS)
        assert.deepEqual(points.slice(0, settled.points.length), settled.points)
        assert.deepEqual(events.slice(0, settled.events.length), settled.events)
      }),
      RUNS,
    )
  })

  it('continues from a checkpoint', () => {
    const split = anyLevelRows.chain((rows) => fc.tuple(fc.constant(rows), fc.nat(rows.length - 1)))
    fc.assert(
      fc.property(split, ([rows, at]) => {
        const fold = new LevelFold(SETTINGS)
        const events: SettledEvent[] = []
        for (const row of rows.slice(0, at + 1)) events.push(...fold.add(row).events)
        const whole = foldOf(rows, SETTINGS)
        for (const checkpoint of [fold.settledUpTo(), events.at(-1)?.checkpoint]) {
          if (!checkpoint) continue
          const continued = new LevelFold(SETTINGS, structuredClone(checkpoint))
          const later = rows.filter(({ time }) => time >= checkpoint.time)
          const rest = joined([...later.map((row) => continued.add(row)), continued.tail()])
          const left = whole.events.filter(({ end }) => end >= checkpoint.first)
          assert.deepEqual(rest.events, left)
          assert.deepEqual(
            rest.points.map(({ time, level }) => [time, level]),
            whole.points
              .filter(({ time }) => time >= checkpoint.first)
              .map(({ time, level }) => [time, level]),
          )
        }
      }),
      RUNS,
    )
  })

  it('settles all but the newest rows, unless an event is open', () => {
    const rows = driving(...Array.from({ length: 2_000 }, (_, at) => 900 - at / 10))
    const fold = new LevelFold(SETTINGS)
    const settled = rows.map((row) => fold.add(row).points.length).reduce((a, b) => a + b)
    assert.equal(rows.length - settled, UNSETTLED + MIN_SIDE + 1)
  })

  it('ends a change that goes on for ever, so that no state grows with the rows', () => {
    const fold = new LevelFold(SETTINGS)
    const rows = driving(...Array.from({ length: 9_000 }, (_, at) => at * 3))
    const events = rows.flatMap((row) => fold.add(row).events)
    assert.equal(events.length, 4)
    for (const { kind, start, end } of events) {
      const values = rows.filter(({ time }) => time >= start && time <= end)
      assert.ok(kind === 'filled' && values.length <= 2_300, `${kind} over ${values.length}`)
    }
    const counted = events.reduce((sum, { before, after }) => sum + after - before, 0)
    assert.ok(counted > 0.9 * (events.at(-1)!.after - events[0]!.before), `${counted}`)
  })
})

/** Folds on at the end, and again from the row before a late one. */
class Rewinding {
  private readonly rows: LevelRow[] = []
  /** For each row, the levels that it settled and the fold after it. */
  private readonly steps: { settled: Unsettled; fold: LevelFold }[] = []

  take(row: LevelRow): void {
    const found = this.rows.findIndex(({ time }) => time >= row.time)
    const at = found < 0 ? this.rows.length : found
    const later = this.rows.splice(at).filter(({ time }) => time > row.time)
    this.steps.length = at
    for (const each of [row, ...later]) {
      const fold = this.steps.at(-1)?.fold.copy() ?? new LevelFold(SETTINGS)
      this.steps.push({ settled: fold.add(each), fold })
      this.rows.push(each)
    }
  }

  levels(): Unsettled {
    return joined([...this.steps.map(({ settled }) => settled), this.steps.at(-1)!.fold.tail()])
  }
}

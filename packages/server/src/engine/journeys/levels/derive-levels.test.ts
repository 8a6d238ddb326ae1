import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LAST_TIME, type TimeRange } from '../../../base/domain/time/time.ts'
import { atHand, runAtOnce } from '../../tracking/work.ts'
import { anyLevelRows } from './any-level-rows.fixture.ts'
import { type DerivedLevels, deriveLevels } from './derive-levels.ts'
import type { LevelFold } from './level-fold.ts'
import type { LevelCheckpoint, LevelEvent, SettledEvent } from './level-state.ts'
import { foldOf, joined } from './level-trial.fixture.ts'
import { defaultLevelSettings, type LevelRow } from './samples.ts'

const SETTINGS = defaultLevelSettings(null, 10)

/** Rows and events of one level in memory, which are derived after each batch. */
class Store {
  rows: LevelRow[] = []
  events: SettledEvent[] = []
  open: readonly LevelEvent[] = []
  private newest: LevelCheckpoint | null = null
  private upTo = -1
  private fold: LevelFold | null = null
  private readonly limit: number
  private readonly keepsFolds: boolean

  constructor(limit = 20_000, keepsFolds = false) {
    this.limit = limit
    this.keepsFolds = keepsFolds
  }

  take(batch: readonly LevelRow[]): DerivedLevels {
    const byTime = new Map([...this.rows, ...batch].map((row) => [row.time, row]))
    return this.put([...byTime.values()], batch)
  }

  delete(times: readonly number[]): DerivedLevels {
    const isDeleted = (row: LevelRow) => times.includes(row.time)
    return this.put(
      this.rows.filter((row) => !isDeleted(row)),
      this.rows.filter(isDeleted),
    )
  }

  private put(rows: LevelRow[], changed: readonly LevelRow[]): DerivedLevels {
    this.rows = rows.sort((a, b) => a.time - b.time)
    const times = changed.map(({ time }) => time).sort((a, b) => a - b)
    let derived = this.derive(times.map((time) => ({ from: time, to: time })))
    while (derived.left.length > 0 || derived.isCut) {
      const rest = { from: (derived.tail?.upTo ?? 0) + 1, to: LAST_TIME }
      derived = this.derive(derived.isCut ? [rest] : derived.left)
    }
    return derived
  }

  private derive(touched: readonly TimeRange[]): DerivedLevels {
    const { source, newest, upTo, fold, limit } = this
    const about = { source, settings: SETTINGS, newest, upTo, fold, touched, limit }
    const derived = runAtOnce(deriveLevels(about))
    const { from, until, events, tail, isCut } = derived
    this.events = this.events.filter(({ end }) => end < from || end > until).concat(events)
    this.events.sort((a, b) => a.end - b.end)
    if (tail === null) return derived
    this.newest = tail.newest
    this.upTo = tail.upTo
    this.fold = this.keepsFolds ? tail.fold : null
    if (!isCut) this.open = tail.open
    return derived
  }

  private readonly source = {
    rows: (from: number, limit: number) =>
      atHand(this.rows.filter(({ time }) => time >= from).slice(0, limit)),
    eventsFrom: (time: number) => atHand(this.events.filter(({ end }) => end >= time)),
    eventBefore: (time: number) =>
      atHand(this.events.findLast(({ checkpoint }) => checkpoint.settledAt < time) ?? null),
  }
}

const anyArrival = anyLevelRows.chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    arrived: fc.shuffledSubarray(rows, { maxLength: Math.min(60, rows.length) }),
    sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
    limit: fc.constantFrom(1, 600, 20_000),
    keepsFolds: fc.boolean(),
    deleted: fc.subarray(rows, { maxLength: Math.min(3, rows.length) }),
  }),
)

describe('The derivation of levels', () => {
  it('depends on the rows alone, whatever the order and the batches', () => {
    fc.assert(
      fc.property(anyArrival, ({ rows, arrived, sizes, deleted, limit, keepsFolds }) => {
        const store = new Store(limit, keepsFolds)
        const late = new Set(arrived)
        const inOrder = rows.filter((row) => !late.has(row)).concat(arrived)
        for (let at = 0, turn = 0; at < inOrder.length; turn += 1) {
          const size = sizes[turn % sizes.length]!
          store.take(inOrder.slice(at, at + size))
          at += size
        }
        if (deleted.length > 0) store.delete(deleted.map(({ time }) => time))
        const found = joined([{ points: [], events: [...store.events, ...store.open] }])
        assert.deepEqual(found.events, foldOf(store.rows, SETTINGS).events)
      }),
      { numRuns: Number(process.env.SEEDS ?? 100) },
    )
  })

  it('reads few rows for a new one, and for a late one those up to the next event', () => {
    const days = 60
    const litres = (at: number) => 900 - ((at * 2) % 600)
    const rows = Array.from({ length: days * 300 }, (_, at): LevelRow => {
      return { time: at * 120_000, value: litres(at) * 10, motion: 'moving', hasDriven: false }
    })
    const store = new Store()
    const [late] = rows.splice(5_000, 1)
    store.take(rows)
    const { time } = rows.at(-1)!
    assert.ok(store.take([{ ...rows[0]!, time: time + 1_000 }]).rows < 700)
    const derived = store.take([late!])
    assert.equal(derived.tail, null)
    assert.ok(derived.rows < 1_000, `${derived.rows} rows`)
  })
})

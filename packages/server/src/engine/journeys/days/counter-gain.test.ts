import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CounterGain, VALUE_ROWS } from './counter-gain.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Row = { time: number; value: number | undefined }

/** 200 l an hour, in tenths. */
const FUEL = { maximumRate: 200, decimals: 1 }
const UNLIMITED = { maximumRate: null, decimals: 1 }

/** The gain of each row from the one after `before` on, with the rows up to there read backwards. */
function gainsAfter(
  rows: readonly Row[],
  before: number,
  entry = FUEL as typeof FUEL | typeof UNLIMITED,
) {
  const counter = new CounterGain(entry)
  for (const { time, value } of rows.slice(Math.max(0, before - VALUE_ROWS), before).reverse()) {
    if (counter.lead(time, value)) break
  }
  return rows.slice(before).map(({ time, value }) => counter.next(time, value))
}

const sum = (gains: readonly number[]) => gains.reduce((total, gain) => total + gain, 0)

/** Values two minutes apart. */
function every2(...values: (number | undefined)[]): Row[] {
  return values.map((value, index) => ({ time: index * 2 * MINUTE, value }))
}

/** The rules as the documentation says them, over all rows from the first one on. */
function plainGains(
  rows: readonly Row[],
  { maximumRate }: { maximumRate: number | null },
): number[] {
  let known: { value: number; since: number } | undefined
  let doubted: { value: number; time: number } | undefined
  const follows = (from: number, since: number, { time, value }: Row) => {
    const rise = value! - from
    if (rise < 0) return false
    const hours = (time - since) / HOUR
    return maximumRate === null || rise / 10 <= maximumRate * hours + maximumRate / 250
  }
  return rows.map((row) => {
    const { time, value } = row
    if (value === undefined) return 0
    const take = (from: number, since: number) => {
      known = { value, since: Math.max(value > from ? time : since, time - HOUR) }
      doubted = undefined
      return value - from
    }
    if (known === undefined) return take(value, time)
    if (follows(known.value, known.since, row)) return take(known.value, known.since)
    if (known.value === 0) return take(value, time)
    if (doubted && follows(doubted.value, doubted.time, row))
      return take(doubted.value, doubted.time)
    doubted = { value, time }
    return 0
  })
}

/** A counter with faults: zeros, error values, restarts, steps, plateaus and gaps. */
const anyRows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      minutes: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
      rise: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
      fault: fc.option(fc.constantFrom('zero', 'error', 'silent', 'restart', 'any'), { freq: 2 }),
      any: fc.nat(9_000),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let [time, counter] = [0, 8_123]
    return steps.map(({ minutes, rise, fault, any }) => {
      time += minutes * MINUTE
      counter = fault === 'restart' ? rise : counter + rise
      const faulty = { zero: 0, error: 42_949_672_950, silent: undefined, any }
      return { time, value: fault === null || fault === 'restart' ? counter : faulty[fault] }
    })
  })

describe('The gain of a counter', () => {
  it('leaves out a 0, an error value, and a start from 0', () => {
    assert.equal(sum(gainsAfter(every2(8_123, 8_126, 8_129, 8_132), 0)), 9)
    assert.equal(sum(gainsAfter(every2(8_123, 0, 8_129, 8_132), 0)), 9)
    assert.equal(sum(gainsAfter(every2(8_123, 42_949_672_950, 8_129, 8_132), 0)), 9)
    assert.equal(sum(gainsAfter(every2(0, 8_126, 8_129, 8_132), 0)), 6)
    assert.equal(sum(gainsAfter(every2(8_123, undefined, 0, undefined, 8_132), 0)), 9)
  })

  it('follows a new counter, and restores no old one', () => {
    assert.deepEqual(gainsAfter(every2(8_123, 5, 8, 12), 0), [0, 0, 3, 4])
    assert.deepEqual(gainsAfter(every2(8_123, 5, 8, 8_126, 8_129), 0), [0, 0, 3, 0, 3])
  })

  it('without a maximum doubts only falls', () => {
    const rows = every2(8_123, 0, 8_129, 99_999)
    assert.equal(sum(gainsAfter(rows, 0, UNLIMITED)), 99_999 - 8_123)
  })

  it('takes a rise over hours, also from a counter with steps', () => {
    const night = { time: 10 * HOUR, value: 8_123 + 1_900 }
    assert.equal(sum(gainsAfter([{ time: 0, value: 8_123 }, night], 0)), 1_900)
    const plateau = Array.from({ length: 30 }, (_, minute) => ({
      time: minute * MINUTE,
      value: 8_123,
    }))
    assert.equal(sum(gainsAfter([...plateau, { time: 30 * MINUTE, value: 9_000 }], 0)), 877)
  })

  it('looks back no further than 1,000 rows', () => {
    const silent = (rows: number): Row[] =>
      Array.from({ length: rows }, (_, index) => ({ time: (index + 1) * MINUTE, value: undefined }))
    const far = (rows: number): Row[] => [
      { time: 0, value: 10 },
      ...silent(rows),
      { time: (rows + 1) * MINUTE, value: 30 },
    ]
    assert.equal(sum(gainsAfter(far(999), 0)), 20)
    assert.equal(sum(gainsAfter(far(1_000), 0)), 0)
  })

  it('is that of a plain computation, wherever a reader begins', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(59), fc.boolean(), (rows, cut, isLimited) => {
        const entry = isLimited ? FUEL : UNLIMITED
        const plain = plainGains(rows, entry)
        assert.deepEqual(gainsAfter(rows, 0, entry), plain)
        const begin = cut % rows.length
        assert.deepEqual(gainsAfter(rows, begin, entry), plain.slice(begin))
      }),
      { numRuns: Number(process.env.SEEDS ?? 2_000) },
    )
  })

  it('is found after a few rows of a counter that counts', () => {
    const counter = new CounterGain(FUEL)
    const rows = Array.from({ length: 100 }, (_, index) => ({ time: index * MINUTE, value: index }))
    assert.equal(
      rows.reverse().findIndex(({ time, value }) => counter.lead(time, value)),
      2,
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { Attribute } from '../../../base/domain/position/attribute.ts'
import { readSection, writeSection } from '../../../base/domain/position/attribute-section.ts'
import {
  AttributeSpans,
  longestValues,
  type NumberSummary,
  type ShareSummary,
  type Summaries,
} from './attribute-spans.ts'
import { type AttributeRow, HeldText } from './held-value.ts'

const NAMES = [{ name: 'litres' }, { name: 'who' }, { name: 'else' }]
const ENTRIES: AttributeEntry[] = [
  {
    ...ATTRIBUTE_DEFAULTS,
    name: 'used',
    type: 'number',
    label: '',
    sources: ['litres'],
    isCounter: true,
  },
  { ...ATTRIBUTE_DEFAULTS, name: 'driver', type: 'text', label: '', sources: ['who'] },
  { ...ATTRIBUTE_DEFAULTS, name: 'never', type: 'number', label: '', sources: ['absent'] },
]

type Sent = { time: number; litres: number | null; who: string | null; isOff?: boolean }

function rowOf({ time, litres, who, isOff = false }: Sent): AttributeRow {
  const attributes: Attribute[] = [
    ...(litres === null ? [] : [{ name: 'litres', value: litres }]),
    ...(who === null ? [] : [{ name: 'who', value: who }]),
  ]
  if (attributes.length === 0) return { time, isOff, attributes: null }
  const bytes = Buffer.alloc(1_024)
  const end = writeSection(bytes, 0, attributes, NAMES)
  return { time, isOff, attributes: (take) => readSection(bytes, end, take) }
}

const anySent: fc.Arbitrary<Sent[]> = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 50 }),
      litres: fc.option(
        fc.integer({ min: 0, max: 999 }).map((cents) => cents / 100),
        { nil: null },
      ),
      who: fc.option(fc.constantFrom('Ann', 'Bob', ''), { nil: null, freq: 3 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) => {
    let time = 0
    return rows.map(({ step, ...values }) => {
      time += step
      return { time, ...values }
    })
  })

/** The attributes from a moment to another one, both included, with the rows before read backwards. */
function summed(sent: readonly Sent[], from: number, to: number): Summaries {
  const spans = new AttributeSpans(ENTRIES, 7, NAMES)
  for (const each of sent.filter(({ time }) => time < from).reverse()) {
    if (!spans.lead(rowOf(each))) break
  }
  spans.open(from, from)
  for (const each of sent) if (each.time >= from && each.time <= to) spans.add(rowOf(each))
  return spans.close(to)
}

const cents = (litres: number) => Math.round(litres * 100)

function plainNumber(sent: readonly Sent[], start: number, to: number): NumberSummary | null {
  const all = sent.flatMap(({ time, litres }) =>
    litres === null ? [] : [[time, cents(litres)] as const],
  )
  const own = all.filter(([time]) => time >= start && time <= to).map(([, value]) => value)
  if (own.length === 0) return null
  let [known, doubted, gain] = [all[0]![1], undefined as number | undefined, 0]
  for (const [time, value] of all) {
    const from = value >= known || known === 0 ? known : doubted
    // A fall is doubted until the next value does not fall below it.
    const isDoubted = from === undefined || value < from
    if (!isDoubted && time > start && time <= to) gain += value - from
    doubted = isDoubted ? value : undefined
    if (!isDoubted) known = value
  }
  const [min, max] = [Math.min(...own), Math.max(...own)]
  return { first: own[0]!, last: own.at(-1)!, min, max, gain }
}

/** Milliseconds of each text, moment by moment. */
function plainTimes(sent: readonly Sent[], from: number, to: number): Map<string, number> {
  const times = new Map<string, number>()
  for (const { time, who } of sent)
    if (who !== null && time >= from && time <= to) times.set(who, 0)
  for (let moment = from; moment < to; moment += 1) {
    const held = sent.findLast(({ time, who }) => who !== null && time <= moment)?.who
    if (held != null) times.set(held, (times.get(held) ?? 0) + 1)
  }
  return times
}

describe('The attributes of a span', () => {
  it('are those of a plain computation over all values', () => {
    fc.assert(
      fc.property(anySent, fc.nat(39), fc.nat(39), (sent, one, other) => {
        const [a, b] = [sent[one % sent.length]!.time, sent[other % sent.length]!.time]
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const [number, shares, never] = summed(sent, from, to)
        assert.equal(never, null)
        assert.deepEqual(number, plainNumber(sent, from, to))
        if (from === to) return
        const times = plainTimes(sent, from, to)
        const found = shares === null ? [] : longestValues(shares as ShareSummary)
        assert.deepEqual(
          new Map(found.map(({ value, share }) => [value, Math.round(share * (to - from))])),
          times,
        )
        const inOrder = found.map(({ share }) => share)
        assert.deepEqual(
          inOrder,
          inOrder.toSorted((x, y) => y - x),
        )
      }),
      { numRuns: Number(process.env.SEEDS ?? 300) },
    )
  })

  it('have gains that add up where spans follow each other', () => {
    fc.assert(
      fc.property(anySent, fc.array(fc.nat(39), { maxLength: 6 }), (sent, cuts) => {
        const ends = [0, ...cuts.map((cut) => sent[cut % sent.length]!.time), sent.at(-1)!.time]
        const bounds = [...new Set(ends)].sort((x, y) => x - y)
        const gainOf = (from: number, to: number) =>
          (summed(sent, from, to)[0] as NumberSummary | null)?.gain ?? 0
        const parts = bounds.slice(1).map((to, index) => gainOf(bounds[index]!, to))
        assert.equal(
          parts.reduce((sum, gain) => sum + gain, 0),
          gainOf(bounds[0]!, bounds.at(-1)!),
        )
      }),
      { numRuns: Number(process.env.SEEDS ?? 300) },
    )
  })

  it('have no rise from a value that is too far back', () => {
    const silent = (time: number): Sent => ({ time, litres: null, who: null })
    const far = (rows: number): Sent[] => [
      { time: 1, litres: 1, who: 'Ann' },
      ...Array.from({ length: rows }, (_, index) => silent(2 + index)),
      { time: rows + 2, litres: 3, who: null },
    ]
    for (const [rows, gain, share] of [
      [999, 200, 1],
      [1_000, 0, 999 / 1_001],
    ] as const) {
      const [number, driver] = summed(far(rows), 1, rows + 2)
      assert.equal((number as NumberSummary).gain, gain)
      const [longest] = longestValues(driver as ShareSummary)
      assert.ok(Math.abs(longest!.share - share) < 0.002, `${longest!.share}`)
      const [again] = summed(far(rows), 2, rows + 2)
      assert.equal((again as NumberSummary).gain, gain, 'the same from a search backwards')
    }
  })

  it('end a value after its hours, or at a stop with the ignition off', () => {
    const HOUR = 3_600_000
    const entry = (part: Partial<AttributeEntry>) => ({ ...ENTRIES[1]!, ...part })
    const shares = (part: Partial<AttributeEntry>, sent: readonly Sent[], end: number) => {
      const spans = new AttributeSpans([entry(part)], 7, NAMES)
      const text = new HeldText(entry(part), 7, NAMES)
      spans.open(0, 0)
      for (const each of sent) spans.add(rowOf(each))
      const [summary] = spans.close(end)
      return [
        Object.fromEntries((summary as ShareSummary).times),
        sent.map((each) => text.add(rowOf(each))),
      ]
    }
    const row = (hours: number, who: string | null, isOff = false): Sent => ({
      time: hours * HOUR,
      litres: null,
      who,
      isOff,
    })
    const late = [row(0, 'Ann'), row(1, null), row(5, null), row(6, 'Ann'), row(7, null)]
    assert.deepEqual(shares({ holds: 2 }, late, 9 * HOUR), [
      { Ann: 4 * HOUR },
      ['Ann', 'Ann', null, 'Ann', 'Ann'],
    ])
    const off = [row(0, 'Ann', true), row(1, null), row(2, null, true), row(3, null), row(4, 'Bob')]
    assert.deepEqual(shares({ endsWithIgnition: true }, off, 5 * HOUR), [
      { Ann: 2 * HOUR, Bob: HOUR },
      ['Ann', 'Ann', 'Ann', null, 'Bob'],
    ])
    assert.deepEqual(shares({}, off, 5 * HOUR)[0], { Ann: 4 * HOUR, Bob: HOUR })
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { importing } from '../../../../testing/imports.ts'
import { formatInstant } from '../../../base/domain/time/time.ts'
import { isFault } from '../row.ts'
import {
  DATE_ORDERS,
  type DateOrder,
  DECIMAL_MARKS,
  DELIMITERS,
  type DecimalMark,
  type Delimiter,
} from './notation.ts'

const trial = importing()

/** Positions, and how a program may write them. */
const FIX = fc.record({
  time: fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2025, 11, 31) / 1000 }),
  latitude: fc.integer({ min: -899_999, max: 899_999 }).map((number) => number / 10_000),
  longitude: fc.integer({ min: 1, max: 1_799_999 }).map((number) => number / 10_000),
  odometer: fc.integer({ min: 0, max: 9_999_999 }).map((number) => number / 1000),
})
type Fix = typeof FIX extends fc.Arbitrary<infer Value> ? Value : never

const WRITING = fc.record({
  delimiter: fc.constantFrom(...(Object.keys(DELIMITERS) as Delimiter[])),
  decimal: fc.constantFrom(...DECIMAL_MARKS),
  decimals: fc.integer({ min: 0, max: 4 }),
  order: fc.constantFrom(...DATE_ORDERS),
  mark: fc.constantFrom('/', '-', '.'),
  hasCentury: fc.boolean(),
  isPadded: fc.boolean(),
  hasHalves: fc.boolean(),
  isSplit: fc.boolean(),
  hasThousands: fc.boolean(),
  encoding: fc.constantFrom('utf8', 'utf16le', 'latin1'),
  hasMark: fc.boolean(),
})
type Writing = typeof WRITING extends fc.Arbitrary<infer Value> ? Value : never

/** Months are never first with points. The reader takes such dates for days first. */
const isKnown = ({ order, mark }: Writing) => order !== 'MDY' || mark !== '.'

function numberText(value: number, decimals: number, decimal: DecimalMark, groups: boolean) {
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split('.') as [string, string?]
  const grouped = groups ? whole.replace(/\B(?=(?:\d{3})+$)/g, decimal === ',' ? '.' : ',') : whole
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : decimal + fraction}`
}

function dayText(time: number, { order, mark, hasCentury, isPadded }: Writing): string {
  const date = new Date(time * 1000)
  const two = (number: number) => String(number).padStart(isPadded ? 2 : 1, '0')
  const parts: Record<string, string> = {
    D: two(date.getUTCDate()),
    M: two(date.getUTCMonth() + 1),
    Y: String(date.getUTCFullYear()).slice(hasCentury ? 0 : 2),
  }
  return [...order].map((letter) => parts[letter]).join(mark)
}

function clockText(time: number, { hasHalves }: Writing): string {
  const date = new Date(time * 1000)
  const two = (number: number) => String(number).padStart(2, '0')
  const rest = `${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  const hours = date.getUTCHours()
  if (!hasHalves) return `${two(hours)}:${rest}`
  return `${hours % 12 === 0 ? 12 : hours % 12}:${rest} ${hours < 12 ? 'AM' : 'PM'}`
}

function written(fixes: readonly Fix[], writing: Writing): Buffer {
  const { delimiter, decimal, decimals, isSplit, hasThousands, encoding, hasMark } = writing
  const quoted = (cell: string) => (cell.includes(DELIMITERS[delimiter]) ? `"${cell}"` : cell)
  const headings = isSplit
    ? ['Gerät', 'Datum', 'Uhrzeit', 'Breite', 'Länge', 'Kilometerstand']
    : ['Gerät', 'Zeit', 'Breite', 'Länge', 'Kilometerstand']
  const rows = fixes.map((fix) => {
    const [day, clock] = [dayText(fix.time, writing), clockText(fix.time, writing)]
    return [
      'Ü1',
      ...(isSplit ? [day, clock] : [`${day} ${clock}`]),
      numberText(fix.latitude, 4, decimal, false),
      numberText(fix.longitude, 4, decimal, false),
      numberText(fix.odometer, decimals, decimal, hasThousands),
    ]
  })
  const text = [headings, ...rows]
    .map((cells) => `${cells.map(quoted).join(DELIMITERS[delimiter])}\r\n`)
    .join('')
  const bytes = Buffer.from(encoding !== 'latin1' && hasMark ? `\ufeff${text}` : text, encoding)
  return bytes
}

test('a written table is read as it was meant, or the caller is asked', async () => {
  let read = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(FIX, { minLength: 1, maxLength: 4 }),
      WRITING.filter(isKnown),
      async (fixes, writing) => {
        const { rows, problem, table } = await trial.previewPositions(written(fixes, writing), {
          distanceUnit: 'km',
        })
        if (problem !== null) {
          const parts = Object.values(table!.notation)
          assert.ok(
            parts.some(({ from }) => from === 'open'),
            problem,
          )
          return
        }
        read += 1
        for (const [at, { read: values }] of rows.entries()) {
          const fix = fixes[at]!
          if (isFault(values)) {
            assert.equal(values.reason, 'zero_coordinates')
            continue
          }
          const odometer = Number(fix.odometer.toFixed(writing.decimals))
          assert.deepEqual(
            [values.ident, values.time_device, values.latitude, values.longitude, values.odometer],
            ['Ü1', formatInstant(fix.time * 1000), fix.latitude, fix.longitude, odometer],
          )
        }
      },
    ),
    { numRuns: 1500 },
  )
  assert.ok(read > 300, `${read} tables were read`)
})

test('the notation of numbers and dates is certain only if no other fits', async () => {
  const dates = fc.array(
    fc.record({
      day: fc.integer({ min: 1, max: 31 }),
      month: fc.integer({ min: 1, max: 12 }),
      year: fc.integer({ min: 2001, max: 2025 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  await fc.assert(
    fc.asyncProperty(dates, fc.constantFrom<DateOrder>('DMY', 'MDY'), async (days, order) => {
      const exist = days.filter(({ day, month, year }) => {
        return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
      })
      const texts = exist.map(({ day, month, year }) =>
        order === 'DMY' ? `${day}/${month}/${year}` : `${month}/${day}/${year}`,
      )
      const rows = texts.map((text) => `A1;${text} 08:00;48.5;11.5\n`).join('')
      const { table } = await trial.previewPositions(`ident;time;lat;lon\n${rows}`)
      const isCertain = exist.some(({ day }) => day > 12)
      const { value, from } = table!.notation.dates
      if (texts.length > 0)
        assert.deepEqual([value, from], isCertain ? [order, 'file'] : [null, 'open'])
    }),
    { numRuns: 300 },
  )
})

test('numbers without coordinates are read as they were meant, or the caller is asked', async () => {
  let read = 0
  const odometers = fc.array(fc.integer({ min: 0, max: 9_999_999 }), { minLength: 1, maxLength: 3 })
  // Programs that separate cells by commas write no points between thousands.
  const isUsual = ({ delimiter, decimal, hasThousands }: Writing) =>
    delimiter !== ',' || decimal !== ',' || !hasThousands
  await fc.assert(
    fc.asyncProperty(odometers, WRITING.filter(isUsual), async (values, writing) => {
      const { delimiter, decimal, decimals, hasThousands } = writing
      const mark = DELIMITERS[delimiter]
      const rows = values.map((value, at) => {
        const text = numberText(value / 1000, decimals, decimal, hasThousands)
        return `A${at}${mark}Van${mark}${text.includes(mark) ? `"${text}"` : text}\n`
      })
      const text = `ident${mark}name${mark}odometer\n${rows.join('')}`
      const found = await trial.previewCatalogue('objects', text, { distanceUnit: 'km' })
      if (found.problem !== null) {
        assert.equal(found.table!.notation.decimal.from, 'open')
        return
      }
      read += 1
      const expected = values.map((value) => Number((value / 1000).toFixed(decimals)))
      const given = found.rows.map(({ read: each }) => (isFault(each) ? each : each.odometer))
      assert.deepEqual(given, expected)
    }),
    { numRuns: 500 },
  )
  assert.ok(read > 100, `${read} tables were read`)
})

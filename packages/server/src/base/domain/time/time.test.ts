import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, formatInstant, parseDate, parseInstant, utcDay } from './time.ts'

const TEN = Date.UTC(2026, 10, 20, 10)

/** The Gregorian calendar. */
function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}
const two = (value: number) => String(value).padStart(2, '0')

describe('A moment', () => {
  it('is parsed in each of the promised forms of ISO 8601', () => {
    for (const text of [
      '2026-11-20T10:00',
      '2026-11-20T10:00Z',
      '2026-11-20T10:00:00',
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:00:00.0Z',
      '2026-11-20T10:00:00.000000000Z',
      '2026-11-20T12:00+02:00',
      '2026-11-20T12:00+0200',
      '2026-11-20T12:00 02:00',
      '2026-11-20T12:00:00.000 0200',
      '2026-11-20T04:30:00-05:30',
      '2026-11-20T10:00:00-00:00',
      '2026-11-21T09:59+23:59',
      '2026-11-19T10:01-23:59',
      '2026-11-20T10Z',
      '2026-11-20T10',
      '2026-11-20T12+02',
      '2026-11-20T10:00:00,000Z',
      '2026-11-20T12:00:00+02',
      '20261120T10Z',
      '20261120T1000',
      '20261120T100000Z',
      '20261120T100000.000Z',
      '20261120T100000,000000Z',
      '20261120T120000+0200',
      '20261120T120000 02',
      '20261120T1200+02:00',
    ]) {
      assert.equal(parseInstant(text), TEN, text)
    }
  })

  it('is no other text', () => {
    for (const text of [
      '',
      ' ',
      '2026',
      '2026-11',
      '2026-11-20',
      '20261120',
      '20261120T10:00',
      '20261120T1000:00',
      '2026-11-20T1000',
      '2026-1120T1000',
      '2026-11-20T10,5Z',
      '20261120T10003',
      '2026-11-20 10:00',
      '2026-11-20t10:00',
      '2026-11-20T10:00z',
      '2026-11-20T10:00:00.',
      '2026-11-20T10:00.5',
      '2026-11-20T10:00:00,',
      '2026-11-20T10:00:00+2:00',
      '2026-11-20T10:00:00  02:00',
      '2026-11-20T10:00:00Z+02:00',
      '2026-11-20T10:00:00+02:00Z',
      '2026-11-20T10:00:00+24:00',
      '2026-11-20T10:00:00+02:60',
      '2026-11-20T24:00',
      '2026-11-20T10:60',
      '2026-11-20T23:59:60Z',
      '2026-11-31T10:00',
      '2026-02-29T10:00',
      '2026-00-20T10:00',
      '2026-13-20T10:00',
      '2026-11-00T10:00',
      '2026-11-99T10:00',
      '-2026-11-20T10:00',
      '+002026-11-20T10:00',
      '12026-11-20T10:00',
      ' 2026-11-20T10:00',
      '2026-11-20T10:00\n',
      '２０２６-11-20T10:00',
      '1763632800000',
      'now',
    ]) {
      assert.equal(parseInstant(text), undefined, JSON.stringify(text))
    }
  })

  it('equals the result of Date, with any offset and digits', () => {
    const anyTime = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9998, 11, 31) })
    const anyOffset = fc.integer({ min: -1439, max: 1439 })
    fc.assert(
      fc.property(anyTime, anyOffset, fc.constantFrom('', ':'), (time, minutes, colon) => {
        const size = Math.abs(minutes)
        const sign = minutes < 0 ? '-' : '+'
        const offset = `${sign}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`
        const local = new Date(time + minutes * 60_000).toISOString().slice(0, -1)
        assert.equal(parseInstant(local + offset), time)
        assert.equal(parseInstant(formatInstant(time)), time)
      }),
    )
  })

  it('with a fraction finer than a millisecond is strictly between two', () => {
    assert.equal(parseInstant('2026-11-20T10:00:00.1'), TEN + 100)
    assert.equal(parseInstant('2026-11-20T10:00:00.0015'), TEN + 1.5)
    assert.equal(parseInstant('2026-11-20T10:00:00.00000000000000000001'), TEN + 0.5)
    assert.equal(parseInstant('2026-11-20T10:00:00.9999999'), TEN + 999.5)
    assert.equal(parseInstant('1969-12-31T23:59:59.9999'), -0.5)
    assert.equal(parseInstant(`2026-11-20T10:00:00.${'0'.repeat(5_000)}`), TEN)
  })

  it('is written as JavaScript writes it, in any year', () => {
    const farthest = 8.64e15
    const times = fc.oneof(fc.maxSafeNat(), fc.integer({ min: -farthest, max: farthest }))
    fc.assert(
      fc.property(times, fc.boolean(), (time, isBetween) => {
        const moment = Math.min(time, farthest - 1) + (isBetween ? 0.5 : 0)
        assert.equal(formatInstant(moment), new Date(moment).toISOString())
      }),
    )
  })
})

describe('A date', () => {
  it('is each day of the calendar and no other', () => {
    for (const year of [0, 4, 100, 1582, 1900, 1970, 2000, 2023, 2024, 2100, 9999]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
          const exists = day >= 1 && day <= daysIn(year, month)
          const expected = exists ? Date.parse(`${text}T00:00:00Z`) : undefined
          assert.equal(parseDate(text), expected, text)
        }
      }
    }
  })

  it('is no other text', () => {
    for (const text of [
      '',
      '2026-1-1',
      '2026-1120',
      '202611-20',
      '2026-11-20Z',
      '2026-11-20T',
      ' 2026-11-20',
    ]) {
      assert.equal(parseDate(text), undefined, text)
    }
  })
})

describe('A UTC day', () => {
  it('begins at midnight and ends before the next', () => {
    assert.equal(utcDay(0), 0)
    assert.equal(utcDay(DAY_MS - 1), 0)
    assert.equal(utcDay(DAY_MS), 1)
    assert.equal(utcDay(-1), -1)
    assert.equal(utcDay(TEN) * DAY_MS, Date.UTC(2026, 10, 20))
  })
})

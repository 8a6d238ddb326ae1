import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { isLocalTime, parseMoment } from './moment.ts'

const moments = fc.integer({ min: 0, max: 253_402_300_799_999 })

test('every moment is parsed in every accepted form', () => {
  const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 })
  fc.assert(
    fc.property(moments, offsets, fc.boolean(), (moment, offset, withSpace) => {
      fc.pre(moment + offset * 60_000 >= 0 && moment + offset * 60_000 <= 253_402_300_799_999)
      const local = new Date(moment + offset * 60_000).toISOString().slice(0, -1)
      const [hours, minutes] = [Math.abs(offset) / 60, Math.abs(offset) % 60].map((part) =>
        String(Math.floor(part)).padStart(2, '0'),
      )
      const sign = offset < 0 ? '-' : '+'
      const written = withSpace ? local.replace('T', ' ') : local
      assert.equal(parseMoment(`${written}${sign}${hours}:${minutes}`), moment)
      assert.equal(parseMoment(`${written} ${sign}${hours}${minutes}`), moment)
      assert.equal(
        parseMoment(`${written.slice(0, 19)}${sign}${hours}:${minutes}`),
        moment - (moment % 1000),
      )
      if (offset === 0) {
        for (const utc of ['', 'Z', ' UTC', '+00']) assert.equal(parseMoment(written + utc), moment)
      }
    }),
  )
})

test('digits are seconds or milliseconds since the epoch', () => {
  assert.equal(parseMoment('1489640434'), 1_489_640_434_000)
  assert.equal(parseMoment(1_489_640_434), 1_489_640_434_000)
  assert.equal(parseMoment('1489640434123'), 1_489_640_434_123)
  assert.equal(parseMoment('1489640434.123'), 1_489_640_434_123)
  assert.equal(parseMoment(' 1489640434 '), 1_489_640_434_000)
})

test('a fraction finer than a millisecond is cut off', () => {
  assert.equal(parseMoment('1970-01-01T00:00:00.0019999Z'), 1)
  assert.equal(parseMoment('1970-01-01T00:00:00.5Z'), 500)
  assert.equal(parseMoment('1970-01-01T00:01Z'), 60_000)
})

test('a moment that does not exist is rejected', () => {
  for (const text of [
    '2023-02-30T00:00:00Z',
    '2023-02-29 10:00:00',
    '2023-13-01T00:00:00Z',
    '2023-01-01T24:00:01Z',
    '2023-01-01T23:60:00Z',
    '2023-01-01T23:59:60Z',
    '2023-01-01T10:00:00+25:00',
    '2023-01-01T10:00:00+05:60',
    '2023-01-01T10:00:00 05:00',
    '2023-01-01T10:00:00.Z',
    '2023-01-01T1a:00:00Z',
    '2023-01-01',
    '01/02/2023 10:00:00',
    'yesterday',
    '-5',
    '',
    null,
    true,
  ]) {
    assert.equal(parseMoment(text), undefined, String(text))
  }
})

test('a text too long for a moment is not cached', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const MIB = 1024 * 1024
  const grown = (rows: number): number => {
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < rows; i += 1) {
      assert.equal(parseMoment(`2026-11-20T10:00:00${i}${'x'.repeat(MIB)}`), undefined)
    }
    collect()
    return process.memoryUsage().heapUsed - before
  }
  assert.ok(grown(64) < 8 * MIB)
})

test('a time is local if it has neither Z nor an offset', () => {
  const local = ['2026-11-20T10:00:00', '2026-11-20 10:00', ' 2026-11-20T10:00:00.5 ']
  for (const text of local) assert.equal(isLocalTime(text), true, text)
  const others = ['2026-11-20T10:00:00Z', '2026-11-20T10:00 UTC', '2026-11-20T10:00:00-05:30']
  for (const value of [...others, '2026-11-20T10:00+03', '1489640434', 1_489_640_434, 'x', null]) {
    assert.equal(isLocalTime(value), false, String(value))
  }
})

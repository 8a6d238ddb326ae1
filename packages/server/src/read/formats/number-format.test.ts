import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { exact, quotient } from '../../../testing/exact-decimal.ts'
import {
  fixedText,
  OVERSHOOT_BYTES,
  rounded,
  textIn,
  writeDecimal,
  writeFixed,
  writeInstant,
} from './number-format.ts'

const ONE = exact(1)

describe('A rounded number', () => {
  it('remains unknown if unknown, and has no negative zero', () => {
    assert.equal(rounded(null, 2), null)
    assert.ok(Object.is(rounded(-0.004, 2), 0))
    assert.ok(Object.is(rounded(-0, 2), 0))
    assert.equal(rounded(0.49999999999999994, 0), 0)
  })

  it('equals exact decimal arithmetic: halves of its digits round away from zero', () => {
    const value = fc.oneof(
      fc.double({ min: -1e8, max: 1e8, noNaN: true }),
      fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
      // Many values on a half, or close to one.
      fc
        .tuple(
          fc.oneof(
            fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
            fc.integer({ min: -99, max: 99 }),
          ),
          fc.nat(9),
        )
        .map(([digits, shift]) => Number(`${digits}5e-${shift}`)),
    )
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2, 3, 7), (number, decimals) => {
        assert.equal(rounded(number, decimals), quotient(exact(number), ONE, decimals) + 0)
      }),
      { numRuns: 3_000 },
    )
  })
})

/** The written bytes at an offset, after a check that no byte before them and none far after them changed. */
function written(write: (out: DataView, at: number) => number, at = 3): string {
  const out = Buffer.alloc(4_096, 0xfe)
  const end = write(new DataView(out.buffer, out.byteOffset, out.length), at)
  assert.ok(out.subarray(0, at).every((byte) => byte === 0xfe))
  assert.ok(out.subarray(end + OVERSHOOT_BYTES).every((byte) => byte === 0xfe))
  return out.toString('utf8', at, end)
}

describe('Numbers written into bytes', () => {
  it('writes a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        assert.equal(textIn(fixedText(text)), text)
        assert.equal(
          written((out, at) => writeFixed(out, at, fixedText(text))),
          text,
        )
      }),
    )
  })

  it('writes a decimal in its shortest form', () => {
    const cases: [number, number, string][] = [
      [0, 2, '0'],
      [-0, 2, '0'],
      [7, 2, '0.07'],
      [-7, 2, '-0.07'],
      [70, 2, '0.7'],
      [100, 2, '1'],
      [-100, 2, '-1'],
      [1, 7, '0.0000001'],
      [1_000_000, 7, '0.1'],
      [-1_800_000_000, 7, '-180'],
      [1_799_999_999, 7, '179.9999999'],
      [9, 0, '9'],
      [10, 0, '10'],
      [Number.MAX_SAFE_INTEGER, 0, '9007199254740991'],
      [Number.MAX_SAFE_INTEGER, 3, '9007199254740.991'],
      [Number.MAX_SAFE_INTEGER, 7, '900719925.4740991'],
    ]
    for (const [scaled, decimals, text] of cases) {
      assert.equal(
        written((out, at) => writeDecimal(out, at, scaled, decimals)),
        text,
      )
    }
  })

  it('writes every decimal with exact digits', () => {
    const scaled = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -999, max: 999 }))
    fc.assert(
      fc.property(scaled, fc.nat(7), (units, decimals) => {
        const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
        const point = digits.length - decimals
        const fraction = digits.slice(point).replace(/0+$/, '')
        const text = digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`)
        assert.equal(
          written((out, at) => writeDecimal(out, at, units, decimals)),
          units < 0 ? `-${text}` : text,
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('writes a moment as Date does, after any other day', () => {
    const moment = fc.oneof(
      fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }),
      fc.nat(100_000).map((day) => day * 86_400_000),
      fc.nat(100_000).map((day) => day * 86_400_000 + 86_399_999),
    )
    fc.assert(
      fc.property(moment, (time) => {
        assert.equal(
          written((out, at) => writeInstant(out, at, time)),
          new Date(time).toISOString(),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})

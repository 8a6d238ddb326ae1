import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyAttributes, anyValue, NAMES } from '../../../../testing/any-attributes.ts'
import {
  attributesIn,
  collected,
  decimalOf,
  entryBytes,
  type Given,
  MAX_SECTION_BYTES,
  readSection,
  writeEntry,
  writeSection,
} from './attribute-section.ts'

const out = Buffer.alloc(MAX_SECTION_BYTES + 9)

describe('The section of a record', () => {
  it('returns every value to the last digit, at any offset', () => {
    fc.assert(
      fc.property(anyAttributes, fc.nat(9), (attributes, start) => {
        const end = writeSection(out, start, attributes, NAMES)
        assert.deepEqual(attributesIn(out, end, NAMES), attributes)
        const indexes: number[] = []
        readSection(out, end, (index) => indexes.push(index))
        assert.deepEqual(
          indexes,
          indexes.toSorted((a, b) => a - b),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('has the bytes that are expected of each value', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        assert.equal(writeEntry(out, 0, 62, value), entryBytes(value))
        for (const [index, more] of [
          ...[
            [63, 1],
            [190, 1],
          ],
          ...[
            [191, 2],
            [1_023, 2],
          ],
        ] as const) {
          assert.equal(writeEntry(out, 0, index, value), entryBytes(value) + more)
        }
      }),
    )
  })

  it('has room for as many values as fit with short indexes, whatever their indexes are', () => {
    const lost: string[] = []
    const given = NAMES.slice(1_024 - 520).map(({ name }): Given => [name, true])
    const attributes = collected(given, (name) => lost.push(name))!
    assert.deepEqual([attributes.length, lost.length], [511, 9])
    const end = writeSection(out, 0, attributes, NAMES)
    assert.ok(end <= MAX_SECTION_BYTES)
    assert.deepEqual(attributesIn(out, end, NAMES), attributes)
  })

  it('has this form', () => {
    const names = ['door', 'driver', 'fuel', 'volt', 'x'].map((name) => ({ name }))
    const attributes = [
      { name: 'door', value: true },
      { name: 'driver', value: 'Ayşe' },
      { name: 'fuel', value: -1.25 },
      { name: 'volt', value: 12 },
      { name: 'x', value: 1e-9 },
    ]
    const end = writeSection(out, 0, attributes, names)
    const entries = ['c001', '81054179c59f65', '02ca0f', '03c001', '4495d626e80b2e113e']
    assert.equal(out.toString('hex', 0, end), `${entries.join('')}1800`)
    const later = [63, 190, 191, 1_023].map((index) => ({ name: NAMES[index]!.name, value: 12 }))
    const long = ['3f00c001', '3f7fc001', '3f8001c001', '3fc007c001']
    assert.equal(out.toString('hex', 0, writeSection(out, 0, later, NAMES)), `${long.join('')}1200`)
  })
})

describe('The decimal of a number', () => {
  it('is the shortest one that reads as the number', () => {
    assert.deepEqual(decimalOf(0.1), { digits: 1, decimals: 1 })
    assert.deepEqual(decimalOf(-12.5), { digits: -125, decimals: 1 })
    assert.deepEqual(decimalOf(1_700_000_000_000), { digits: 1_700_000_000_000, decimals: 0 })
    assert.deepEqual(decimalOf(0.0000001), { digits: 1, decimals: 7 })
    for (const none of [0.1 + 0.2, 0.00000001, 1e300, 2 ** 53, Number.MIN_VALUE]) {
      assert.equal(decimalOf(none), undefined, `${none}`)
    }
    const any = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(any, (value) => {
        const decimal = decimalOf(value)
        const { digits, decimals } = decimal ?? { digits: 0, decimals: 8 }
        if (decimal !== undefined) assert.equal(digits / 10 ** decimals, value + 0)
        const text = String(Math.abs(value))
        const length = text.includes('e') ? 8 : text.length - 1 - `${text}.`.indexOf('.')
        if (decimal !== undefined) assert.equal(decimals, Math.max(length, 0))
      }),
    )
  })
})

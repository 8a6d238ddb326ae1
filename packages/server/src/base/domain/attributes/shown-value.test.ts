import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AttributeValue } from '../position/attribute.ts'
import { sentNames } from '../position/current-attributes.ts'
import { HOUR_MS } from '../time/time.ts'
import { ATTRIBUTE_DEFAULTS, type AttributeEntry, MAX_DECIMALS } from './attribute-catalogue.ts'
import type { Source } from './attribute-source.ts'
import { ANY_MOMENT, currentValues } from './current-values.ts'
import { numberOf, unitsOf } from './shown-number.ts'
import { faultOf, type Mapping, shownValue } from './shown-value.ts'
import { MappedValues } from './takers.ts'
import { previewOf } from './value-preview.ts'

const PLAIN: Mapping = { ...ATTRIBUTE_DEFAULTS, type: 'number' }

function shown(value: AttributeValue, mapping: Partial<Mapping> = {}): unknown {
  return shownValue(value, { ...PLAIN, ...mapping })
}

/** A decimal in whole units of 10^-places, and the number that reads it. */
function decimal(most: number, places: number) {
  return fc
    .tuple(fc.integer({ min: -most, max: most }), fc.integer({ min: 0, max: places }))
    .map(([units, places]) => ({
      units: BigInt(units),
      places,
      number: Number(`${units}e-${places}`),
    }))
}

describe('Shown values:', () => {
  it('a number is scaled, moved and rounded, halves away from zero', () => {
    assert.equal(shown(12.345), 12.35)
    assert.equal(shown(-12.345), -12.35)
    assert.equal(shown(1.005), 1.01)
    assert.equal(shown(1.15, { scale: 0.1 }), 0.12)
    assert.equal(shown(295.372, { offset: -273.15, decimals: 1 }), 22.2)
    assert.equal(shown(4_095, { scale: 0.1, decimals: 0 }), 410)
    assert.equal(shown(1e-300), 0)
    assert.ok(Object.is(shown(-0.001), 0))
    assert.ok(Object.is(shown(-0), 0))
  })

  it('a number may come from a text with a number', () => {
    assert.equal(shown('12.5'), 12.5)
    assert.equal(shown('-1e1'), -10)
    for (const text of ['', ' 1', '0x10', '1,5', 'NaN', 'Infinity', '1e999', 'full']) {
      assert.equal(shown(text), undefined, text)
    }
    assert.equal(shown(true), undefined)
  })

  it('a number has at most 15 digits', () => {
    assert.equal(shown(9_999_999_999_999.99), 9_999_999_999_999.99)
    assert.equal(shown(10_000_000_000_000), undefined)
    assert.equal(shown(Number.MAX_VALUE), undefined)
    assert.equal(shown(Number.MAX_VALUE, { scale: 10 }), undefined)
  })

  it('a boolean is what senders write for it', () => {
    for (const value of [true, 1, '1', 'on', 'TRUE', 'yes']) {
      assert.equal(shown(value, { type: 'boolean' }), true)
    }
    for (const value of [false, 0, '0', 'off', 'no']) {
      assert.equal(shown(value, { type: 'boolean' }), false)
    }
    for (const value of [2, '', 'open']) assert.equal(shown(value, { type: 'boolean' }), undefined)
  })

  it('a boolean is turned around by its scale and offset', () => {
    const inverted = { type: 'boolean', scale: -1, offset: 1 } as const
    assert.deepEqual(
      [1, 'off', true].map((sent) => shown(sent, inverted)),
      [false, true, false],
    )
    assert.equal(shown(2, inverted), undefined)
    assert.equal(shown(1, { type: 'boolean', scale: 0.1 }), undefined)
    assert.equal(shown(12, { type: 'boolean', scale: 1 / 12 }), true)
  })

  it('a text may come from a number or a boolean', () => {
    assert.equal(shown('3A00000F', { type: 'text' }), '3A00000F')
    assert.equal(shown(1_234_567, { type: 'text' }), '1234567')
    assert.equal(shown(true, { type: 'text' }), 'true')
  })

  it('a number outside the range is not shown, which is compared after scale and offset', () => {
    const mapping = { minimum: -60, maximum: 120, scale: 0.1, decimals: 1 }
    assert.deepEqual([shown(-600, mapping), shown(1_200, mapping)], [-60, 120])
    for (const value of [-601, 1_201, 4_294_967_294]) assert.equal(shown(value, mapping), undefined)
    assert.equal(faultOf(-601, { ...PLAIN, ...mapping }), 'range')
    assert.equal(shown(-601, { ...mapping, minimum: null }), -60.1)
  })

  it('a value that means none is not shown, which is compared as it was sent', () => {
    const none = [85, -127, '', '0']
    for (const value of [85, '85', '85.0', -127, '', 0, '0', '0000000000000000']) {
      assert.equal(shown(value, { none, type: 'text' }), undefined, String(value))
      assert.equal(faultOf(value, { ...PLAIN, none, scale: 0.1 }), 'none')
    }
    for (const value of [850, 'full', '18446744073709551615']) {
      assert.equal(shown(value, { none, type: 'text' }), String(value))
    }
    assert.equal(
      shown('18446744073709551614', { none: ['18446744073709551615'], type: 'text' }),
      '18446744073709551614',
    )
    // A tag in hexadecimal digits is no power of ten.
    assert.equal(shown('0000E71234', { none, type: 'text' }), '0000E71234')
    assert.equal(shown(false, { none, type: 'boolean' }), false)
    assert.equal(faultOf('full', { ...PLAIN, none }), 'type')
    assert.equal(faultOf(20, { ...PLAIN, none }), undefined)
  })

  it('a number is the exact decimal result', () => {
    const mappings = fc.record({
      value: decimal(1_000_000, 7),
      scale: decimal(1_000_000, 6),
      offset: decimal(1_000_000, 6),
      decimals: fc.integer({ min: 0, max: MAX_DECIMALS }),
    })
    fc.assert(
      fc.property(mappings, ({ value, scale, offset, decimals }) => {
        const exact = // In units of 10^-20.
          value.units * scale.units * 10n ** BigInt(20 - value.places - scale.places) +
          offset.units * 10n ** BigInt(20 - offset.places)
        const unit = 10n ** BigInt(20 - decimals)
        const [size, sign] = exact < 0n ? [-exact, -1] : [exact, 1]
        const rounded = size / unit + (2n * (size % unit) >= unit ? 1n : 0n)
        const mapping = { ...PLAIN, scale: scale.number, offset: offset.number, decimals }
        const units = unitsOf(value.number, mapping)
        if (rounded > 999_999_999_999_999n) return assert.equal(units, undefined)
        assert.equal(units, sign * Number(rounded) + 0)
        assert.equal(numberOf(units!, mapping), Number(`${units}e-${decimals}`))
      }),
      { numRuns: 20_000 },
    )
  })

  it('any number is finite, with its decimals at most', () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true })
    const factors = fc.double({ min: -1e9, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(any, factors, factors, fc.nat(MAX_DECIMALS), (value, scale, offset, decimals) => {
        const result = shown(value, { scale, offset, decimals })
        if (result === undefined) return
        assert.ok(Number.isFinite(result))
        assert.equal(Number((result as number).toFixed(decimals)), result)
      }),
    )
  })
})

const LEVEL: AttributeEntry = {
  ...{ ...ATTRIBUTE_DEFAULTS, name: 'level', type: 'number', label: 'Level', scale: 0.5 },
  sources: ['fuel', 'io84'],
}

function currentOf(
  entry: AttributeEntry,
  sent: Parameters<typeof currentValues>[1],
  object = 7,
  moment = ANY_MOMENT,
) {
  const [current] = currentValues([entry], sent, moment, () => object)
  if (current === undefined) return undefined
  const { value, at, source } = current
  return { value, at, source }
}

describe('A source', () => {
  const shownFrom = (source: Partial<Source>, value: AttributeValue, more = {}, object = 7) => {
    const sources = [{ name: 'fuel', ...source }]
    return previewOf({ ...LEVEL, sources, ...more }, object, { fuel: value })
  }

  it('has a scale, an offset or a table of its own, or those of the attribute', () => {
    assert.equal(shownFrom({}, 8)?.shown, 4)
    assert.equal(shownFrom({ scale: 0.001 }, 12_600)?.shown, 12.6)
    assert.equal(shownFrom({ offset: 5 }, 8)?.shown, 13)
    const table: Source['table'] = [
      [0.5, 0],
      [1, 10],
      [4.5, 400],
    ]
    for (const [volts, litres] of [
      [0.5, 0],
      [0.75, 5],
      [1, 10],
      [2.75, 205],
      ['4.5', 400],
    ] as const) {
      assert.equal(shownFrom({ table }, volts)?.shown, litres)
    }
    for (const volts of [0.49, 4.51, '4.51'])
      assert.equal(shownFrom({ table }, volts)?.fault, 'range')
    for (const sent of [true, 'x']) assert.equal(shownFrom({ table }, sent)?.fault, 'type')
  })

  it('has no value above the capacity of its objects', () => {
    assert.equal(shownFrom({ capacity: 4 }, 8)?.shown, 4)
    assert.equal(shownFrom({ capacity: 4 }, 8.1)?.fault, 'range')
  })

  it('has the values that mean none in numbers of its own', () => {
    const none = [85, 65_535, '']
    const fault = (source: Partial<Source>, value: AttributeValue) =>
      shownFrom(source, value, { none, scale: 1 })?.fault
    assert.deepEqual([fault({ scale: 0.1 }, 850), fault({ scale: 0.1 }, 85)], ['none', null])
    assert.deepEqual([fault({ scale: 0.1 }, 65_535), fault({ scale: 0.1 }, '')], ['none', 'none'])
  })

  it('takes the values of some objects', () => {
    const sources = [
      { name: 'power', scale: 0.001, objects: [2, 3] },
      { name: 'power', objects: [1] },
    ]
    const power = { ...LEVEL, scale: 1, sources }
    const sent = [{ name: 'power', value: 12_600, at: 1 }]
    assert.equal(currentOf(power, sent, 2)?.value, 12.6)
    assert.equal(currentOf(power, sent, 1)?.value, 12_600)
    assert.equal(currentOf(power, sent, 4), undefined)
    const mapped = new MappedValues([power], 3, sent)
    mapped.take(0, 24_000)
    assert.deepEqual(mapped.values, [24])
  })
})

describe('The value of a position', () => {
  it('is that of the first source with a value', () => {
    const level = { ...LEVEL, none: [255], maximum: 100 }
    const names = [{ name: 'io84' }, { name: 'door' }, { name: 'fuel' }]
    const mapped = new MappedValues([level], 7, names)
    const valueFrom = (...sent: [number, AttributeValue][]) => {
      mapped.clear()
      for (const [index, value] of sent) mapped.take(index, value)
      return mapped.values[0]
    }
    assert.equal(valueFrom([0, 6], [2, 8]), 4)
    assert.equal(valueFrom([2, 8], [0, 6]), 4)
    for (const fault of [255, 202, 'low']) assert.equal(valueFrom([0, 6], [2, fault]), 3)
    assert.equal(valueFrom([2, 255], [0, 202]), undefined)
    assert.equal(valueFrom(), undefined)
  })
})

describe('The current value of an attribute', () => {
  it('is that of the source that sent last', () => {
    const older = { name: 'fuel', value: 8, at: 5 }
    const newer = { name: 'io84', value: 6, at: 6 }
    assert.deepEqual(currentOf(LEVEL, [newer, older]), { value: 3, at: 6, source: 'io84' })
    const same = { ...older, at: 6 }
    assert.deepEqual(currentOf(LEVEL, [newer, same]), { value: 4, at: 6, source: 'fuel' })
  })

  it('is the newest one that is a value', () => {
    const level = { ...LEVEL, none: [255] }
    const sent = [
      { name: 'fuel', value: 8, at: 5 },
      { name: 'io84', value: 255, at: 6 },
    ]
    assert.deepEqual(currentOf(level, sent), { value: 4, at: 5, source: 'fuel' })
    const of = (value: number, before: number | string) =>
      currentOf(level, [{ name: 'fuel', value, at: 6, other: { value: before, at: 3 } }])
    assert.deepEqual(of(255, 8), { value: 4, at: 3, source: 'fuel' })
    assert.deepEqual(of(6, 8), { value: 3, at: 6, source: 'fuel' })
    assert.equal(of(255, '255'), undefined)
  })

  it('holds for some hours up to the newest position, and until the object is parked with the ignition off', () => {
    const entry = { ...LEVEL, holds: 1 }
    const sent = [{ name: 'fuel', value: 8, at: 5 }]
    const at = (newest: number, offAt: number | null = null, endsWithIgnition = true) =>
      currentOf({ ...entry, endsWithIgnition }, sent, 7, { newest, offAt })?.value
    assert.deepEqual([at(5 + HOUR_MS), at(6 + HOUR_MS)], [4, undefined])
    assert.deepEqual([at(9, 5), at(9, 6), at(9, 6, false)], [4, undefined, 4])
  })

  it('is absent if the value is gone, or cannot have the type', () => {
    assert.equal(currentOf(LEVEL, []), undefined)
    assert.equal(currentOf(LEVEL, [{ name: 'fuel', value: null, at: 0 }]), undefined)
    assert.equal(currentOf(LEVEL, [{ name: 'fuel', value: 'low', at: 1 }]), undefined)
  })
})

describe('The names that devices send', () => {
  it('have the newest value of all objects, in whichever order they are counted', () => {
    const first = [{ name: 'fuel', value: 8, at: 5, count: 3 }]
    const second = [
      { name: 'fuel', value: 6, at: 7, count: 2 },
      { name: 'door', value: null, at: 0, count: 1 },
    ]
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const { add, names } = sentNames()
      for (const attributes of order) add(attributes === first ? 1 : 2, attributes)
      assert.deepEqual(names(), [
        { name: 'door', value: null, object: 0, at: 0, count: 1, objects: 1 },
        { name: 'fuel', value: 6, object: 2, at: 7, count: 5, objects: 2 },
      ])
    }
  })
})

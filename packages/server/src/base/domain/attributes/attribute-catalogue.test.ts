import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstFault } from '../setting-rule.ts'
import {
  ATTRIBUTE_DEFAULTS,
  ATTRIBUTE_RULES,
  type AttributeEntry,
  entryFault,
} from './attribute-catalogue.ts'

const FUEL: AttributeEntry = {
  ...ATTRIBUTE_DEFAULTS,
  name: 'fuel_level',
  type: 'number',
  label: 'Fuel level',
  unit: '%',
  sources: ['fuelLevel', 'io 84'],
}

function faultOf(patch: Partial<AttributeEntry>): string | undefined {
  return firstFault(ATTRIBUTE_RULES, { ...FUEL, ...patch })?.rule
}

describe('The rules of an attribute', () => {
  it('accept an entry', () => {
    assert.equal(faultOf({}), undefined)
    assert.equal(entryFault(FUEL), undefined)
  })

  it('take plain names', () => {
    for (const name of ['fuel', 'temp_1', '1', 'fuel_at', 'a'.repeat(40)]) {
      assert.ok(ATTRIBUTE_RULES.name.holds(name), name)
    }
    const others = ['', 'Fuel', 'fuel level', 'é', '__proto__', 'a_', 'fuel__at', 'a'.repeat(41)]
    for (const name of [...others, 'speed', 'hdop', 'odometer_mm', 'vin', 'exact', 'attributes']) {
      assert.ok(!ATTRIBUTE_RULES.name.holds(name), name)
    }
  })

  it('take names of devices up to 64 bytes', () => {
    assert.equal(faultOf({ sources: ['a,b', 'é'.repeat(32)] }), undefined)
    const seventeen = Array.from({ length: 17 }, (_, index) => `a${index}`)
    for (const sources of [[], [''], ['é'.repeat(33)], ['a\n'], ['a\u0000'], seventeen]) {
      assert.match(faultOf({ sources }) ?? '', /list of 1 to 500 sources with up to 16 names/)
    }
  })

  it('name the part of a source that breaks its rule', () => {
    for (const [source, part] of [
      [{ name: 'adc1', scal: 2 }, 'scal'],
      [{ name: 'adc1', scale: 0 }, 'scale'],
      [{ scale: 2 }, 'name'],
      [{ name: 'adc1', table: [[0, 0]], scale: 1 }, 'table'],
    ] as const) {
      const fault = faultOf({ sources: ['fuel', source] as never })
      assert.ok(fault?.endsWith(`; it has an invalid part in source 2: ${part}`), fault)
    }
  })

  it('take scales, tables and objects of a source', () => {
    const table = [
      [0, 0],
      [5, 400],
    ]
    const some = { objects: [7, 8], capacity: 400 }
    for (const source of [
      { scale: -1, offset: 5 },
      { table, ...some },
      { ...some, offset: 0 },
    ]) {
      assert.equal(faultOf({ sources: [{ name: 'adc1', ...source }] as never }), undefined)
    }
    const wrong = [
      ...[{ scale: 0 }, { scale: '1' }, { table, scale: 1 }, { table: [[0, 0]] }, { objects: [] }],
      ...[
        {
          table: [
            [1, 0],
            [1, 2],
          ],
        },
        { table: [[0], [1]] },
        { objects: [0] },
        { capacity: 0 },
      ],
      ...[{ name: '' }, { name: undefined }, { color: 'red' }, { table: Array(65).fill([0, 0]) }],
    ]
    for (const source of wrong) {
      const sources = [{ name: 'adc1', ...source }] as never
      assert.notEqual(faultOf({ sources }), undefined, JSON.stringify(source))
    }
    const tanks = Array.from({ length: 501 }, (_, id) => ({ name: 'adc1', objects: [id + 1] }))
    assert.equal(faultOf({ sources: tanks.slice(1) }), undefined)
    assert.notEqual(faultOf({ sources: tanks }), undefined)
  })

  it('refuse a scale of 0', () => {
    assert.equal(faultOf({ scale: -0.1 }), undefined)
    assert.match(faultOf({ scale: 0 }) ?? '', /and not 0$/)
    assert.match(faultOf({ scale: Number.NaN }) ?? '', /must be a number/)
  })

  it('take numbers and texts that mean none', () => {
    assert.equal(faultOf({ none: null }), undefined)
    assert.equal(faultOf({ none: [85, -127.5, '', 'n/a'] }), undefined)
    for (const none of [[], [true], [null], ['a\n'], Array(33).fill(1)] as unknown[]) {
      assert.match(faultOf({ none } as never) ?? '', /list of 1 to 32 numbers or texts/)
    }
  })

  it('limit only numbers', () => {
    assert.equal(entryFault({ ...FUEL, minimum: 0, maximum: 0 }), undefined)
    const limited = (more: Partial<AttributeEntry>) => entryFault({ ...FUEL, ...more })?.field
    assert.equal(limited({ minimum: 1, maximum: 0.5 }), 'maximum')
    assert.equal(limited({ type: 'text', minimum: 1 }), 'minimum')
    assert.equal(limited({ type: 'boolean', maximum: 1 }), 'maximum')
  })

  it('are a level only of a number that is no counter, and have its settings only then', () => {
    const faultIn = (more: Partial<AttributeEntry>) => entryFault({ ...FUEL, ...more })
    const level = { isLevel: true, threshold: 12.5, smoothing: 0 }
    assert.equal(faultIn(level), undefined)
    assert.deepEqual(faultIn({ ...level, type: 'text' }), {
      field: 'is_level',
      rule: 'must be false unless type is number',
    })
    assert.deepEqual(faultIn({ ...level, isCounter: true }), {
      field: 'is_level',
      rule: 'must be false if is_counter is true',
    })
    assert.deepEqual(faultIn({ threshold: 5 }), {
      field: 'threshold',
      rule: 'must be null unless is_level is true',
    })
    assert.deepEqual(faultIn({ smoothing: 60 }), {
      field: 'smoothing',
      rule: 'must be 300 unless is_level is true',
    })
    for (const wrong of [{ threshold: 0 }, { smoothing: -1 }, { smoothing: 3_601 }]) {
      assert.notEqual(faultOf(wrong), undefined, JSON.stringify(wrong))
    }
    for (const right of [{ threshold: 0.001 }, { threshold: null }, { smoothing: 3_600 }]) {
      assert.equal(faultOf(right), undefined, JSON.stringify(right))
    }
  })

  it('count only numbers', () => {
    assert.equal(entryFault({ ...FUEL, isCounter: true }), undefined)
    assert.deepEqual(entryFault({ ...FUEL, type: 'text', isCounter: true }), {
      field: 'is_counter',
      rule: 'must be false unless type is number',
    })
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ATTRIBUTE_DEFAULTS, type AttributeEntry } from './catalogue.ts'
import { currentValue } from './current-value.ts'
import { sentNames } from './sent-names.ts'

const LEVEL: AttributeEntry = {
  ...{ ...ATTRIBUTE_DEFAULTS, name: 'level', type: 'number', label: 'Level', scale: 0.5 },
  sources: ['fuel', 'io84'],
}

describe('The current value of an attribute', () => {
  it('is that of the source that sent last', () => {
    const older = { name: 'fuel', value: 8, at: 5 }
    const newer = { name: 'io84', value: 6, at: 6 }
    assert.deepEqual(currentValue(LEVEL, [newer, older]), { value: 3, at: 6, source: 'io84' })
    const same = { ...older, at: 6 }
    assert.deepEqual(currentValue(LEVEL, [newer, same]), { value: 4, at: 6, source: 'fuel' })
  })

  it('is absent if the value is gone, or cannot have the type', () => {
    assert.equal(currentValue(LEVEL, []), undefined)
    assert.equal(currentValue(LEVEL, [{ name: 'fuel', value: null, at: 0 }]), undefined)
    assert.equal(currentValue(LEVEL, [{ name: 'fuel', value: 'low', at: 1 }]), undefined)
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

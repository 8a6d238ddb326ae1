import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ATTRIBUTE_DEFAULTS, type AttributeEntry } from './attribute-catalogue.ts'
import { capacityOf } from './takers.ts'

const TANK: AttributeEntry = {
  ...{ ...ATTRIBUTE_DEFAULTS, name: 'tank', type: 'number', label: 'Tank', unit: 'l' },
  sources: [
    { name: 'adc1', objects: [7, 8] },
    { name: 'fuel', objects: [7, 9], capacity: 400 },
    { name: 'fuel', objects: [7], capacity: 60 },
    { name: 'io84', capacity: 80.5 },
  ],
}

describe('The capacity of an object', () => {
  it('is that of the first source that takes the object and has one', () => {
    assert.deepEqual(
      [7, 8, 9].map((object) => capacityOf(TANK, object)),
      [400, 80.5, 400],
    )
  })

  it('is 100 of a percentage, and otherwise unknown', () => {
    const others = { ...TANK, sources: [TANK.sources[0]!, TANK.sources[1]!] }
    assert.equal(capacityOf(others, 8), null)
    assert.equal(capacityOf({ ...others, unit: '%' }, 8), 100)
    assert.equal(capacityOf({ ...others, unit: '%' }, 7), 400)
  })
})

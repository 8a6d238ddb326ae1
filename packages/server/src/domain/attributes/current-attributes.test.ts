import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCurrent, NAMES } from '../../../testing/any-attributes.ts'
import {
  fitting,
  NO_ATTRIBUTES,
  packCurrent,
  unpackCurrent,
  withNames,
  withStored,
} from './current-attributes.ts'

describe('The current attributes of an object', () => {
  it('are packed and unpacked to the last digit', () => {
    fc.assert(
      fc.property(anyCurrent, (current) => {
        assert.deepEqual(unpackCurrent(packCurrent(current)), current)
      }),
    )
    assert.equal(packCurrent(NO_ATTRIBUTES), null)
  })

  it('keep the places of names, and have new ones at the end', () => {
    const first = withStored(NO_ATTRIBUTES, [{ name: 'b', value: 1 }], 5)
    const second = [
      { name: 'a', value: true },
      { name: 'b', value: 2 },
    ]
    assert.deepEqual(withStored(first, second, 6), [
      { name: 'b', value: 2, at: 6, count: 2 },
      { name: 'a', value: true, at: 6, count: 1 },
    ])
    assert.deepEqual(withStored(first, second, 4), [
      { name: 'b', value: 1, at: 5, count: 2 },
      { name: 'a', value: true, at: 4, count: 1 },
    ])
  })

  it('have the names that came first, up to the limit', () => {
    const attributes = NAMES.map(({ name }) => ({ name, value: 1 }))
    const most = withNames(NO_ATTRIBUTES, attributes.slice(0, 63))
    const [last, more] = [attributes[63]!, { name: 'more', value: 2 }]
    const { name } = last
    assert.deepEqual(fitting(most, [last]), { kept: [last], lost: [] })
    assert.deepEqual(fitting(most, [attributes[0]!, last, more]), {
      kept: [attributes[0], last],
      lost: ['more'],
    })
    const full = withNames(most, [last])
    assert.deepEqual(fitting(full, [more]), { kept: null, lost: ['more'] })
    assert.equal(full.at(-1)?.name, name)
  })
})

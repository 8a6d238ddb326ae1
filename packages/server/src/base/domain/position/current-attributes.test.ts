import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCurrent, NAMES } from '../../../../testing/any-attributes.ts'
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
    const names = { has: () => true, free: 0 }
    const dropped = { limit_of_object_names: ['more'] }
    assert.deepEqual(fitting(most, [last], names), { kept: [last], dropped: undefined })
    assert.deepEqual(fitting(most, [attributes[0]!, last, more], names), {
      kept: [attributes[0], last],
      dropped,
    })
    const full = withNames(most, [last])
    assert.deepEqual(fitting(full, [more], names), { kept: null, dropped })
    assert.equal(full.at(-1)?.name, name)
  })

  it('have new names as far as their organization has room', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, value: 1 }))
    const names = { has: (name: string) => name === 'c', free: 1 }
    assert.deepEqual(fitting(NO_ATTRIBUTES, [a!, b!, c!], names), {
      kept: [a, c],
      dropped: { limit_of_names: ['b'] },
    })
    // A name that the organization does not take leaves its object the room for others.
    const most = withNames(
      NO_ATTRIBUTES,
      NAMES.slice(0, 63).map(({ name }) => ({ name, value: 1 })),
    )
    assert.deepEqual(fitting(most, [b!, c!], { ...names, free: 0 }).kept, [c])
  })
})

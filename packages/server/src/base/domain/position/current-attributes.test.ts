import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCurrent, NAMES } from '../../../../testing/any-attributes.ts'
import {
  addedNames,
  fitting,
  hasNewNames,
  NO_ATTRIBUTES,
  packCurrent,
  sentNames,
  unpackCurrent,
  withForgotten,
  withNames,
  withoutStored,
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
      { name: 'b', value: 2, at: 6, count: 2, other: { value: 1, at: 5 } },
      { name: 'a', value: true, at: 6, count: 1 },
    ])
    assert.deepEqual(withStored(first, second, 4), [
      { name: 'b', value: 1, at: 5, count: 2, other: { value: 2, at: 4 } },
      { name: 'a', value: true, at: 4, count: 1 },
    ])
  })

  it('have the newest two values of a name, in whichever order they come', () => {
    const row = fc.record(
      { value: fc.nat(3), at: fc.integer({ min: 1, max: 9 }) },
      { noNullPrototype: true },
    )
    const rows = fc.uniqueArray(row, { selector: ({ at }) => at })
    const namedA = (value: number) => [{ name: 'a', value }]
    fc.assert(
      fc.property(rows, rows, (kept, gone) => {
        const left = kept.filter(({ at }) => !gone.some((each) => each.at === at))
        const all = [...left.slice(0, 2), ...gone, ...left.slice(2)]
        let current = NO_ATTRIBUTES
        for (const { value, at } of all) current = withStored(current, namedA(value), at)
        const newestOf = (some: typeof all, count: number) => {
          const [first, ...others] = some.toSorted((a, b) => b.at - a.at)
          const other = others.find(({ value }) => value !== first!.value)
          return first && { name: 'a', ...first, count, ...(other && { other }) }
        }
        assert.deepEqual(current[0], newestOf(all, all.length))
        if (left.length === 0) return
        // Somebody finds the values that are left.
        for (const { value, at } of gone) current = withoutStored(current, namedA(value), at)
        for (const { value, at } of left) current = withStored(current, namedA(value), at)
        assert.deepEqual(current[0], newestOf(left, 2 * left.length))
      }),
    )
  })

  const NONE = { has: () => true, free: 0, sources: new Set<string>(), total: 0 }
  const named = (names: readonly string[]) => names.map((name) => ({ name, value: 1 }))
  const ALL = NAMES.map(({ name }) => name)

  it('have the names that came first, up to the limit', () => {
    const most = withNames(NO_ATTRIBUTES, named(ALL.slice(0, 1_023)))
    const [first, last, more] = named([ALL[0]!, ALL[1_023]!, 'more'])
    const dropped = { limit_of_object_names: ['more'] }
    assert.deepEqual(fitting(most, [last!], NONE), { kept: [last], dropped: undefined })
    assert.deepEqual(fitting(most, [first!, last!, more!], NONE), { kept: [first, last], dropped })
    const full = withNames(most, [last!])
    assert.deepEqual(fitting(full, [more!], NONE), { kept: null, dropped })
    assert.equal(full.at(-1)?.name, last!.name)
  })

  it('have room for sources of the catalogue before others', () => {
    const sources = new Set(['s1', 's2', ALL[5]!])
    const names = { ...NONE, sources }
    const some = withNames(NO_ATTRIBUTES, named(ALL.slice(0, 1_020)))
    const given = named(['a', 'b', 'c', 's1', 's2', 's3'])
    assert.deepEqual(fitting(some, given, names), {
      kept: named(['a', 'b', 's1', 's2']),
      dropped: { limit_of_object_names: ['c', 's3'] },
    })
    const full = withNames(some, named(['a', 'b', 's1', 's2']))
    assert.deepEqual(fitting(full, named(['s3']), { ...NONE, sources: new Set(['s3']) }), {
      kept: null,
      dropped: { limit_of_object_names: ['s3'] },
    })
    const many = new Set(Array.from({ length: 2_000 }, (_, n) => `many${n}`))
    const others = withNames(NO_ATTRIBUTES, named(ALL.slice(0, 959)))
    const { kept } = fitting(others, named(['a', 'b', 'many7']), { ...NONE, sources: many })
    assert.deepEqual(kept, named(['a', 'many7']))
  })

  it('have few names while the objects of their organization have very many', () => {
    const names = { ...NONE, total: 1_000_000, sources: new Set(['s']) }
    const some = withNames(NO_ATTRIBUTES, named(ALL.slice(0, 63)))
    assert.deepEqual(fitting(some, named(['a', 'b', 's']), names), {
      kept: named(['a', 's']),
      dropped: { limit_of_object_names: ['b'] },
    })
    assert.deepEqual(
      fitting(some, named(['a', 'b']), { ...names, total: 999_999 }).dropped,
      undefined,
    )
  })

  it('have new names as far as their organization has room', () => {
    const names = { ...NONE, has: (name: string) => name === 'c', free: 1 }
    assert.deepEqual(fitting(NO_ATTRIBUTES, named(['a', 'b', 'c']), names), {
      kept: named(['a', 'c']),
      dropped: { limit_of_names: ['b'] },
    })
    // A name that the organization does not take leaves its object the room for others.
    const most = withNames(NO_ATTRIBUTES, named(ALL.slice(0, 1_023)))
    assert.deepEqual(fitting(most, named(['b', 'c']), { ...names, free: 0 }).kept, named(['c']))
  })

  it('keep the place of a name that is forgotten, which then needs the room of its organization', () => {
    const current = withStored(NO_ATTRIBUTES, named(['a', 'b', 'c']), 5)
    const forgotten = withForgotten(current, new Set(['b', 'z']))
    assert.deepEqual(addedNames(forgotten, current), ['b'])
    const none = { value: null, at: 0, count: 0 }
    assert.deepEqual(forgotten[1], { name: 'b', ...none, isForgotten: true })
    const { add, names } = sentNames()
    add(1, forgotten)
    assert.deepEqual(
      names().map(({ name }) => name),
      ['a', 'c'],
    )
    assert.equal(hasNewNames(forgotten, named(['a', 'c'])), false)
    assert.equal(hasNewNames(forgotten, named(['b'])), true)
    const full = { ...NONE, has: () => false }
    assert.deepEqual(fitting(forgotten, named(['b']), full).dropped, { limit_of_names: ['b'] })
    assert.deepEqual(fitting(forgotten, named(['b']), { ...full, free: 1 }).dropped, undefined)
    const again = withStored(forgotten, named(['b', 'd']), 6)
    assert.deepEqual(addedNames(forgotten, again), ['b', 'd'])
    assert.deepEqual(again[1], { name: 'b', value: 1, at: 6, count: 1 })
    // Another position with it is gone: it stays forgotten.
    assert.deepEqual(withoutStored(forgotten, named(['b']), 5), forgotten)
  })

  it('find many names fast', () => {
    const names = withNames(NO_ATTRIBUTES, named(ALL))
    const backwards = named(ALL.toReversed())
    const began = process.cpuUsage()
    let current = names
    for (let at = 0; at < 200; at += 1) current = withStored(current, backwards, at)
    assert.deepEqual(
      current.map(({ name }) => name),
      ALL,
    )
    // Some 0.05 seconds. A search among the names would take 30.
    assert.ok(process.cpuUsage(began).user < 5_000_000)
  })
})

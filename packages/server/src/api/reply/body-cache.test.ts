import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bodyCache } from './body-cache.ts'

const key = (name: string) => ({ name })

describe('A body cache', () => {
  it('returns a stored body for exactly its key', () => {
    const cache = bodyCache(100)
    const a = key('a')
    cache.set(a, Buffer.from('body'))
    assert.equal(cache.get(a)?.toString(), 'body')
    assert.equal(cache.get(key('a')), undefined)
  })

  it('evicts the least recently used body', () => {
    const cache = bodyCache(3)
    const [a, b, c, d] = [key('a'), key('b'), key('c'), key('d')]
    for (const it of [a, b, c]) cache.set(it, Buffer.alloc(1))
    cache.get(a)
    cache.set(d, Buffer.alloc(1))
    assert.equal(cache.get(b), undefined)
    for (const it of [a, c, d]) assert.ok(cache.get(it))
  })

  it('evicts as many as necessary, and stores no body that is too large for it', () => {
    const cache = bodyCache(10)
    const [a, b, c, d] = [key('a'), key('b'), key('c'), key('d')]
    for (const it of [a, b]) cache.set(it, Buffer.alloc(5))
    cache.set(c, Buffer.alloc(10))
    assert.deepEqual([cache.get(a), cache.get(b)], [undefined, undefined])
    cache.set(d, Buffer.alloc(11))
    assert.equal(cache.get(d), undefined)
    assert.equal(cache.get(c)?.length, 10)
  })

  it('frees the space of a deleted body', () => {
    const cache = bodyCache(2)
    const [a, b, c] = [key('a'), key('b'), key('c')]
    for (const it of [a, b]) cache.set(it, Buffer.alloc(1))
    cache.delete(b)
    cache.delete(b)
    cache.set(c, Buffer.alloc(1))
    assert.equal(cache.get(b), undefined)
    for (const it of [a, c]) assert.ok(cache.get(it))
  })

  it('never exceeds its size, and keeps bodies that fit', () => {
    const keys = Array.from({ length: 6 }, (_, i) => key(String(i)))
    const anyUse = fc.record({ at: fc.nat(5), size: fc.option(fc.nat(12), { nil: null }) })
    fc.assert(
      fc.property(fc.array(anyUse), (uses) => {
        const cache = bodyCache(10)
        /** The most recently used at the end. */
        let held: { at: number; size: number }[] = []
        for (const { at, size } of uses) {
          const existing = held.find((it) => it.at === at)
          if (size === null) {
            assert.equal(cache.get(keys[at]!)?.length, existing?.size)
            if (existing !== undefined) held = [...held.filter((it) => it !== existing), existing]
          } else {
            cache.set(keys[at]!, Buffer.alloc(size))
            if (existing === undefined && size <= 10) held = [...held, { at, size }]
            while (held.reduce((sum, it) => sum + it.size, 0) > 10) held = held.slice(1)
          }
        }
        for (const { at, size } of held) assert.equal(cache.get(keys[at]!)?.length, size)
        assert.equal(keys.filter((it) => cache.get(it) !== undefined).length, held.length)
      }),
      { numRuns: 500 },
    )
  })
})

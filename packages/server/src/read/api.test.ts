import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bodyCache } from './api.ts'

const key = (name: string) => ({ name })

describe('A body cache', () => {
  it('returns a stored body for exactly its key', () => {
    const cache = bodyCache(100)
    const a = key('a')
    cache.set(a, Buffer.from('body'))
    assert.equal(cache.get(a)?.toString(), 'body')
    assert.equal(cache.get(key('a')), undefined)
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

  it('never exceeds its size: the least recently used bodies go, and one that is too large is not stored', () => {
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodedOrUndefined, isSoundlyEncoded, parseQuery } from './query.ts'

const entries = (search: string) => [...parseQuery(search)]

describe('A query', () => {
  it('has each parameter with every value, in order', () => {
    assert.deepEqual(entries(''), [])
    assert.deepEqual(entries('a=1'), [['a', ['1']]])
    assert.deepEqual(entries('a=1&b=2&a=3'), [
      ['a', ['1', '3']],
      ['b', ['2']],
    ])
    assert.deepEqual(entries('&&a=1&'), [['a', ['1']]])
  })

  it('tells an empty value from an absent parameter', () => {
    assert.deepEqual(entries('a'), [['a', ['']]])
    assert.deepEqual(entries('a='), [['a', ['']]])
    assert.deepEqual(entries('=1'), [['', ['1']]])
    assert.equal(parseQuery('a=').get('b'), undefined)
  })

  it('splits at the first equals sign alone', () => {
    assert.deepEqual(entries('a=b=c'), [['a', ['b=c']]])
    assert.deepEqual(entries('a%3Db=c'), [['a=b', ['c']]])
    assert.deepEqual(entries('a=b%26c'), [['a', ['b&c']]])
  })

  it('reads a plus as a space and an escaped one as itself', () => {
    assert.deepEqual(entries('t=12:00+02:00&u=12:00%2B02:00'), [
      ['t', ['12:00 02:00']],
      ['u', ['12:00+02:00']],
    ])
  })

  it('keeps broken percent-encoding as it stands', () => {
    assert.deepEqual(entries('a=%&b=%zz&c=%ff&d=%E0%A4'), [
      ['a', ['%']],
      ['b', ['%zz']],
      ['c', ['%ff']],
      ['d', ['%E0%A4']],
    ])
  })

  it('is read in a few milliseconds, however much of it is broken', () => {
    for (const broken of ['%&', '%=%&', '%80&', '%80=%C0%AF&']) {
      const search = broken.repeat(28_000 / broken.length)
      const times = Array.from({ length: 5 }, () => {
        const beganAt = performance.now()
        parseQuery(search)
        return performance.now() - beganAt
      })
      assert.ok(Math.min(...times) < 10, `${broken} ${Math.min(...times)} ms`)
    }
  })

  it('is not fooled by names that objects have', () => {
    assert.deepEqual(entries('__proto__=1&constructor=2'), [
      ['__proto__', ['1']],
      ['constructor', ['2']],
    ])
  })

  it('reads what URLSearchParams writes', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
    )
    fc.assert(
      fc.property(pairs, (list) => {
        const expected = new Map<string, string[]>()
        for (const [name, value] of list) expected.set(name, [...(expected.get(name) ?? []), value])
        assert.deepEqual(parseQuery(new URLSearchParams(list).toString()), expected)
      }),
    )
  })
})

describe('Percent-encoding', () => {
  it('is sound where it is whole octets of UTF-8', () => {
    for (const text of ['', '/a', '/%41', '/%C3%A9', '/%F0%9F%9A%9A', '/%00']) {
      assert.ok(isSoundlyEncoded(text), text)
    }
    for (const text of ['%', '/%4', '/%zz', '/%ff', '/%C3', '/%C3%28', '/%ED%A0%80', '/%C0%AF']) {
      assert.ok(!isSoundlyEncoded(text), text)
      assert.equal(decodedOrUndefined(text), undefined)
    }
    assert.equal(decodedOrUndefined('%F0%9F%9A%9A'), '🚚')
  })

  it('is sound where JavaScript can decode it', () => {
    const octet = fc
      .integer({ min: 0, max: 255 })
      .map((value) => `%${value.toString(16).padStart(2, '0')}`)
    const whole = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).map((text) => {
      return encodeURIComponent(text.toWellFormed())
    })
    const part = fc.oneof(
      octet,
      octet.map((text) => text.toUpperCase()),
      whole,
      fc.constantFrom('%', 'a', 'é', '%4'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.join('')
        let expected: string | undefined
        try {
          expected = decodeURIComponent(text)
        } catch {}
        assert.equal(decodedOrUndefined(text), expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../../testing/linear.ts'
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

  it('distinguishes an empty value from an absent parameter', () => {
    assert.deepEqual(entries('a'), [['a', ['']]])
    assert.deepEqual(entries('a='), [['a', ['']]])
    assert.deepEqual(entries('=1'), [['', ['1']]])
    assert.equal(parseQuery('a=').get('b'), undefined)
  })

  it('splits at the first equals sign only', () => {
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

  it('keeps broken percent-encoding unchanged', () => {
    assert.deepEqual(entries('a=%&b=%zz&c=%ff&d=%E0%A4'), [
      ['a', ['%']],
      ['b', ['%zz']],
      ['c', ['%ff']],
      ['d', ['%E0%A4']],
    ])
  })

  it('costs as much if it is broken as if it is sound', () => {
    const parsing = (part: string) => {
      const search = part.repeat(28_000 / part.length)
      return () => parseQuery(search)
    }
    for (const broken of ['%&', '%=%&', '%80&', '%80=%C0%AF&']) {
      assertCheap(parsing(broken), parsing('%41=%C3%AF&'), 5)
    }
  })

  it('treats names of built-in properties as ordinary names', () => {
    assert.deepEqual(entries('__proto__=1&constructor=2'), [
      ['__proto__', ['1']],
      ['constructor', ['2']],
    ])
  })

  it('parses the output of URLSearchParams', () => {
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
  it('is valid if it encodes whole octets of UTF-8', () => {
    for (const text of ['', '/a', '/%41', '/%C3%A9', '/%F0%9F%9A%9A', '/%00']) {
      assert.ok(isSoundlyEncoded(text), text)
    }
    for (const text of ['%', '/%4', '/%zz', '/%ff', '/%C3', '/%C3%28', '/%ED%A0%80', '/%C0%AF']) {
      assert.ok(!isSoundlyEncoded(text), text)
      assert.equal(decodedOrUndefined(text), undefined)
    }
    assert.equal(decodedOrUndefined('%F0%9F%9A%9A'), '🚚')
  })

  it('is valid if JavaScript can decode it', () => {
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchesTag } from './reply.ts'

describe('An If-None-Match header', () => {
  it('matches a strong or weak tag, alone or in a list', () => {
    for (const header of [
      'W/"abc"',
      '"abc"',
      ' W/"abc" ',
      'W/"x", W/"abc"',
      'W/"x","abc","y"',
      '"x",\t"abc"',
      ', "abc"',
      '*',
      ' * ',
    ]) {
      assert.equal(matchesTag(header, 'abc'), true, header)
    }
  })

  it('matches one of the first hundred tags', () => {
    assert.equal(matchesTag(`${'"x",'.repeat(99)}"abc"`, 'abc'), true)
    assert.equal(matchesTag(`${'"x",'.repeat(100)}"abc"`, 'abc'), false)
  })

  it('does not match a similar text', () => {
    for (const header of [
      undefined,
      '',
      'abc',
      'w/"abc"',
      'W/abc',
      '"abcd"',
      '"ab"',
      '"ABC"',
      'W/"x"',
      '"*"',
      'W/W/"abc"',
      '"abc',
      '*, "x"',
    ]) {
      assert.equal(matchesTag(header, 'abc'), false, header)
    }
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchesTag } from './conditional.ts'

describe('An If-None-Match header', () => {
  it('holds a tag, strong or weak, alone or among others', () => {
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

  it('does not hold what only looks like it', () => {
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

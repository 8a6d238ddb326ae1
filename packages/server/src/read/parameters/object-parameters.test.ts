import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseObjectId } from './object-parameters.ts'

describe('An object id', () => {
  it('is digits, with optional leading zeros', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(30), (id, zeros) => {
        assert.equal(parseObjectId('0'.repeat(zeros) + id), id)
      }),
    )
  })

  it('matches no object if it is too large for any', () => {
    for (const digits of ['9007199254740992', '9007199254740993', '1'.repeat(400)]) {
      assert.equal(parseObjectId(digits), Number.POSITIVE_INFINITY, digits)
    }
    assert.equal(parseObjectId('9007199254740991'), Number.MAX_SAFE_INTEGER)
  })

  it('is no other text that JavaScript would read as a number', () => {
    const texts = [
      '',
      ' ',
      '1 ',
      ' 1',
      '+1',
      '-1',
      '1.0',
      '1e3',
      '0x10',
      '1_000',
      '１',
      '1n',
      '1\n',
      'NaN',
    ]
    for (const text of texts) assert.equal(parseObjectId(text), undefined, JSON.stringify(text))
  })
})

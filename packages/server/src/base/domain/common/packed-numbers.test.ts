import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../../testing/any-fix.ts'
import { NumberReader, NumberWriter, ownBytes } from './packed-numbers.ts'

const whole = fc.maxSafeNat()
/** The sign takes one bit. */
const signed = fc.integer({ min: -(2 ** 51), max: 2 ** 51 })
const anyValue = fc.oneof(
  fc.record({ form: fc.constant('unsigned' as const), value: whole }),
  fc.record({ form: fc.constant('signed' as const), value: signed }),
  fc.record({ form: fc.constant('optional' as const), value: fc.option(signed) }),
  fc.record({ form: fc.constant('text' as const), value: fc.option(anyText) }),
)

describe('Packed numbers', () => {
  it('read as they were written', () => {
    fc.assert(
      fc.property(fc.array(anyValue), (values) => {
        const out = new NumberWriter()
        for (const { form, value } of values) out[form](value as never)
        const input = new NumberReader(out.bytes())
        for (const { form, value } of values) assert.equal(input[form](), value)
      }),
    )
  })

  it('stay as they are while others are written, and end their writer', () => {
    const lists = fc.array(fc.array(whole, { maxLength: 300 }), { minLength: 2 })
    fc.assert(
      fc.property(lists, (all) => {
        const writers = all.map(() => new NumberWriter())
        for (const [index, values] of all.entries()) {
          for (const value of values) writers[index]!.unsigned(value)
        }
        const packed = writers.map((each) => each.bytes())
        for (const [index, values] of all.entries()) {
          const input = new NumberReader(packed[index]!)
          for (const value of values) assert.equal(input.unsigned(), value)
          assert.ok(input.isAtEnd())
          assert.throws(() => writers[index]!.unsigned(1), /has ended/)
          assert.throws(() => writers[index]!.bytes(), /has ended/)
        }
      }),
    )
  })

  it('are refused if they are cut off', () => {
    const out = new NumberWriter()
    out.unsigned(1_000)
    assert.throws(() => new NumberReader(out.bytes().subarray(0, 1)).unsigned(), /cut off/)
    const text = new NumberWriter()
    text.text('a word')
    assert.throws(() => new NumberReader(text.bytes().subarray(0, 3)).text(), /cut off/)
  })
})

describe('Bytes in a buffer of their own', () => {
  it('are equal, and their buffer holds nothing else', () => {
    const pooled = Buffer.from('{"id":7}')
    assert.ok(pooled.buffer.byteLength > pooled.length)
    const own = ownBytes(pooled)
    assert.deepEqual(own, pooled)
    assert.equal(own.buffer.byteLength, own.length)
  })

  it('are not copied if their buffer holds nothing else already', () => {
    const large = Buffer.alloc(100_000)
    assert.equal(ownBytes(large), large)
  })
})

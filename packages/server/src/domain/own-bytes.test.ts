import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownBytes } from './own-bytes.ts'

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

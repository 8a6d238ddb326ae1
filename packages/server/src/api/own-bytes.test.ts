import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownBytes } from './own-bytes.ts'

describe('Bytes of their own', () => {
  it('are the same, and hold nothing besides', () => {
    const pooled = Buffer.from('{"id":7}')
    assert.ok(pooled.buffer.byteLength > pooled.length)
    const own = ownBytes(pooled)
    assert.deepEqual(own, pooled)
    assert.equal(own.buffer.byteLength, own.length)
  })

  it('are not copied where they hold nothing besides anyway', () => {
    const large = Buffer.alloc(100_000)
    assert.equal(ownBytes(large), large)
  })
})

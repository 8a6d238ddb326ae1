import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { ATTRIBUTE_BYTES, ROW_BYTES } from '../feed/handle.ts'
import { MAX_ATTRIBUTES, MAX_BODY_BYTES, MAX_ROWS } from '../feed/refusal.ts'
import {
  gatherPieces,
  type HoldMemory,
  MAX_HELD_BY_ONE,
  MAX_HELD_BYTES,
  openHeldMemory,
} from './request-body.ts'

test('the pieces of a body join to the whole again, at any length', () => {
  const lengths = fc.oneof(fc.nat(3), fc.nat(40_000))
  fc.assert(
    fc.property(fc.array(lengths), (all) => {
      const pieces = gatherPieces()
      const chunks = all.map((length, index) => Buffer.alloc(length, index + 1))
      for (const chunk of chunks) pieces.add(chunk)
      assert.ok(pieces.join().equals(Buffer.concat(chunks)))
    }),
  )
})

test('cleared pieces are gone', () => {
  const pieces = gatherPieces()
  for (const text of ['a', 'b']) pieces.add(Buffer.from(text))
  pieces.clear()
  pieces.add(Buffer.from('c'))
  assert.equal(pieces.join().toString(), 'c')
})

const MAX_BODIES_OF_ONE = MAX_HELD_BY_ONE / MAX_BODY_BYTES

const fill = (holdMemory: HoldMemory, organization: number) => {
  const held = []
  for (;;) {
    const share = holdMemory(organization)
    if (!share.hold(MAX_BODY_BYTES)) return held
    held.push(share)
  }
}

describe('The memory that the feed holds', () => {
  it('leaves room for other organizations, however much one sends', () => {
    const holdMemory = openHeldMemory()
    assert.equal(fill(holdMemory, 1).length, MAX_BODIES_OF_ONE)
    assert.equal(holdMemory(1).hold(1), false)
    assert.equal(holdMemory(2).hold(MAX_BODY_BYTES), true)
  })

  it('is limited in total', () => {
    const holdMemory = openHeldMemory()
    const held = Array.from({ length: 10 }, (_, organization) =>
      fill(holdMemory, organization),
    ).flat()
    assert.equal(held.length, MAX_HELD_BYTES / MAX_BODY_BYTES)
  })

  it('is free again after the requests', () => {
    const holdMemory = openHeldMemory()
    for (let round = 0; round < 3; round++) {
      const held = fill(holdMemory, 1)
      assert.equal(held.length, MAX_BODIES_OF_ONE)
      for (const share of held) share[Symbol.dispose]()
    }
  })

  it('has room for the largest request', () => {
    const share = openHeldMemory()(1)
    assert.ok(share.hold(MAX_BODY_BYTES), 'as it came')
    assert.ok(share.hold(MAX_BODY_BYTES), 'unpacked')
    share.release(MAX_BODY_BYTES)
    const rows = MAX_ROWS * ROW_BYTES + MAX_ATTRIBUTES * ATTRIBUTE_BYTES
    assert.ok(share.hold(rows), 'its rows')
  })
})

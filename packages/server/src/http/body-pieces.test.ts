import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gatherPieces } from './body-pieces.ts'

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

import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { startOf } from '../../engine/changes/page.ts'
import { openChangesCursor, type Reader, sealChangesCursor } from './changes-query.ts'

const SECRET = createSecretKey(Buffer.alloc(32, 1))
const reader: Reader = {
  types: ['positions'],
  ids: [3, 7, 1071],
  include: ['exact'],
  epoch: 'a',
  unit: 'km',
}
const cursor = { reader, offset: startOf('history', 12) }
const sealed = sealChangesCursor(SECRET, 5, cursor)

describe('A cursor of changes', () => {
  it('keeps its reader and its offset', () => {
    assert.deepEqual(openChangesCursor(SECRET, 5, sealed), cursor)
  })

  it('opens only for its organization and its deployment', () => {
    assert.equal(openChangesCursor(SECRET, 6, sealed), undefined)
    assert.equal(openChangesCursor(createSecretKey(Buffer.alloc(32, 2)), 5, sealed), undefined)
  })

  it('opens in no other form', () => {
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const forged = sealed.slice(0, at) + other + sealed.slice(at + 1)
      assert.equal(openChangesCursor(SECRET, 5, forged), undefined, String(at))
    }
    for (const text of ['', 'A', sealed.slice(0, 22), `${sealed}=`, sealed.slice(1)]) {
      assert.equal(openChangesCursor(SECRET, 5, text), undefined)
    }
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type CursorScope, openCursor, sealCursor } from './cursor.ts'

const SECRET = Buffer.alloc(32, 7)
const SCOPE: CursorScope = { organization: 1, object: '12', range: { from: 3, to: 45 } }
const LAST = Date.UTC(2026, 10, 20)

describe('A cursor', () => {
  it('opens to the time that was sealed', () => {
    const anyScope = fc.record({
      organization: fc.nat(),
      object: fc.nat().map(String),
      range: fc.record({ from: fc.maxSafeInteger(), to: fc.maxSafeInteger() }),
    })
    fc.assert(
      fc.property(anyScope, fc.maxSafeNat(), (scope, time) => {
        const lastTime = time % 2 ** 48
        assert.equal(openCursor(SECRET, scope, sealCursor(SECRET, scope, lastTime)), lastTime)
      }),
    )
  })

  it('needs no escaping in a URL', () => {
    assert.match(sealCursor(SECRET, SCOPE, LAST), /^[\w-]+$/)
  })

  it('opens with no bit flipped', () => {
    const bytes = Buffer.from(sealCursor(SECRET, SCOPE, LAST), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.equal(openCursor(SECRET, SCOPE, flipped.toString('base64url')), undefined, `${bit}`)
    }
  })

  it('has one spelling', () => {
    const cursor = sealCursor(SECRET, SCOPE, LAST)
    const last = cursor.at(-1)!
    for (const other of [
      '',
      `${cursor}=`,
      `${cursor} `,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor}A`,
      cursor.slice(0, -1),
      cursor.slice(0, 4),
      `${cursor.slice(0, 1)}.${cursor.slice(1)}`,
      `${cursor}${cursor}`,
      '🚚',
    ]) {
      assert.equal(openCursor(SECRET, SCOPE, other), undefined, other)
    }
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/') {
      if (character === last) continue
      assert.equal(openCursor(SECRET, SCOPE, cursor.slice(0, -1) + character), undefined, character)
    }
  })

  it('opens nothing that it was not made for', () => {
    const cursor = sealCursor(SECRET, SCOPE, LAST)
    const others: CursorScope[] = [
      { ...SCOPE, organization: 2 },
      { ...SCOPE, object: '1' },
      { ...SCOPE, object: '13' },
      { ...SCOPE, range: { from: 4, to: 45 } },
      { ...SCOPE, range: { from: 3, to: 44 } },
      // The same characters, parted elsewhere.
      { organization: 1, object: '1', range: { from: 23, to: 45 } },
      { organization: 11, object: '2', range: { from: 3, to: 45 } },
      { ...SCOPE, range: { from: 34, to: 5 } },
    ]
    for (const other of others) assert.equal(openCursor(SECRET, other, cursor), undefined)
    assert.equal(openCursor(Buffer.alloc(32, 8), SCOPE, cursor), undefined)
  })
})

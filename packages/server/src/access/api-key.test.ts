import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { hashApiKey, looksLikeApiKey, newApiKey } from './api-key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('API key', () => {
  it('has the documented shape, and a checksum that fits', () => {
    for (let i = 0; i < 1000; i++) {
      const { key, hash, prefix, lastFour } = newApiKey()
      assert.match(key, /^fg_live_[0-9A-Za-z]{36}$/)
      assert.ok(looksLikeApiKey(key))
      assert.equal(prefix, key.slice(0, 12))
      assert.equal(lastFour, key.slice(40))
      assert.equal(hash, createHash('sha256').update(key).digest('base64url'))
      assert.equal(hash, hashApiKey(key))
    }
  })

  it('has the checksum that its docstring describes', () => {
    // CRC-32 of 'fg_live_' and thirty '0', from an independent implementation: bit by bit.
    const body = `fg_live_${'0'.repeat(30)}`
    let crc = 0xffffffff
    for (const byte of Buffer.from(body)) {
      crc ^= byte
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    }
    let rest = (crc ^ 0xffffffff) >>> 0
    const digits: string[] = []
    while (rest > 0) {
      digits.unshift(BASE62.charAt(rest % 62))
      rest = Math.floor(rest / 62)
    }
    assert.ok(looksLikeApiKey(body + digits.join('').padStart(6, '0')))
  })

  it('does not pass with any one character changed', () => {
    const { key } = newApiKey()
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...BASE62), (at, character) => {
        fc.pre(key[at] !== character)
        assert.equal(looksLikeApiKey(key.slice(0, at) + character + key.slice(at + 1)), false)
      }),
    )
  })

  it('is no other text', () => {
    const { key } = newApiKey()
    for (const other of [
      '',
      'fg_live_',
      `${key} `,
      `${key}0`,
      key.slice(0, -1),
      key.toUpperCase(),
    ]) {
      assert.equal(looksLikeApiKey(other), false, other)
    }
    fc.assert(fc.property(fc.string(), (other) => !looksLikeApiKey(other)))
  })

  it('uses every Base62 character alike', () => {
    const counts = new Map<string, number>()
    const keys = 4_000
    for (let i = 0; i < keys; i++) {
      for (const character of newApiKey().key.slice(8, 38)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    const expected = (keys * 30) / 62
    const chiSquare = [...BASE62].reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // 61 degrees of freedom: 150 is passed by chance less than once in a hundred million runs;
    // a byte taken modulo 62 gives several hundred.
    assert.ok(chiSquare < 150, `chi-square ${chiSquare}`)
  })
})

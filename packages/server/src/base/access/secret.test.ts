import assert from 'node:assert/strict'
import { createHash, createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../testing/linear.ts'
import {
  API_KEY,
  derivedSecret,
  FEED_TOKEN,
  hashSecret,
  looksLike,
  newSecret,
  withoutSecrets,
} from './secret.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('A secret', () => {
  it('has the documented form and a valid checksum', () => {
    for (const kind of [API_KEY, FEED_TOKEN] as const) {
      for (let i = 0; i < 1000; i++) {
        const { secret, hash, prefix, lastFour } = newSecret(kind)
        assert.match(secret, new RegExp(`^${kind}[0-9A-Za-z]{36}$`))
        assert.ok(looksLike(kind, secret))
        assert.equal(prefix, secret.slice(0, 12))
        assert.equal(lastFour, secret.slice(40))
        assert.equal(hash, createHash('sha256').update(secret).digest('base64url'))
        assert.equal(hash, hashSecret(secret))
      }
    }
  })

  it('is the same at each derivation, and another for each key, kind and label', () => {
    const [key, other] = [
      createSecretKey(Buffer.alloc(32, 1)),
      createSecretKey(Buffer.alloc(32, 2)),
    ]
    const derived = derivedSecret(API_KEY, key, 'demo 0')
    assert.deepEqual(derivedSecret(API_KEY, key, 'demo 0'), derived)
    assert.ok(looksLike(API_KEY, derived.secret))
    assert.equal(derived.hash, hashSecret(derived.secret))
    const all = [
      derived,
      derivedSecret(API_KEY, other, 'demo 0'),
      derivedSecret(API_KEY, key, 'demo 1'),
      derivedSecret(FEED_TOKEN, key, 'demo 0'),
    ]
    assert.equal(new Set(all.map(({ secret }) => secret.slice(8))).size, 4)
  })

  it('has the checksum that its docstring describes', () => {
    // CRC-32 of the prefix and thirty '0', from an independent bitwise implementation.
    for (const kind of [API_KEY, FEED_TOKEN] as const) {
      const body = kind + '0'.repeat(30)
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
      assert.ok(looksLike(kind, body + digits.join('').padStart(6, '0')))
    }
  })

  it('is invalid with any one character changed', () => {
    const { secret } = newSecret(API_KEY)
    fc.assert(
      fc.property(fc.nat(secret.length - 1), fc.constantFrom(...BASE62), (at, character) => {
        fc.pre(secret[at] !== character)
        const changed = secret.slice(0, at) + character + secret.slice(at + 1)
        assert.equal(looksLike(API_KEY, changed), false)
      }),
    )
  })

  it('is no other text, and no secret of another kind', () => {
    const { secret } = newSecret(API_KEY)
    for (const other of [
      '',
      'fg_live_',
      `${secret} `,
      `${secret}\n`,
      `${secret}0`,
      secret.slice(0, -1),
      secret.toUpperCase(),
      newSecret(FEED_TOKEN).secret,
    ]) {
      assert.equal(looksLike(API_KEY, other), false, other)
    }
    assert.equal(looksLike(FEED_TOKEN, secret), false)
    fc.assert(fc.property(fc.string(), (other) => !looksLike(API_KEY, other)))
  })

  it('uses every Base62 character equally often', () => {
    const counts = new Map<string, number>()
    const secrets = 4_000
    for (let i = 0; i < secrets; i++) {
      for (const character of newSecret(API_KEY).secret.slice(8, 38)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    const expected = (secrets * 30) / 62
    const chiSquare = [...BASE62].reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // 61 degrees of freedom: chance exceeds 150 less than once in a hundred million runs; a byte modulo 62 gives
    // several hundred.
    assert.ok(chiSquare < 150, `chi-square ${chiSquare}`)
  })
})

describe('A text without secrets', () => {
  it('has no user, password, parameters or fragment of a URL', () => {
    const shown: Record<string, string> = {
      'postgres://me:pw@db:5432/x failed': 'postgres://…@db:5432/x failed',
      'redis://:p/w@a:1,b:2?timeout=1': 'redis://…@a:1,b:2…',
      "'https://geo.example/search?key=k#f' is invalid": "'https://geo.example/search…' is invalid",
      '{"err":"no http://u:p@h","to":"http://h/?k"}': '{"err":"no http://…@h","to":"http://h/…"}',
      'postgres:me:p@w@db:5432/x is invalid': 'postgres:…@db:5432/x is invalid',
      'https://fleet.example.com/docs': 'https://fleet.example.com/docs',
      'me@example.com? :// @': 'me@example.com? :// @',
    }
    for (const [text, expected] of Object.entries(shown)) {
      assert.equal(withoutSecrets(text), expected)
    }
  })

  it('is computed in linear time for any input', () => {
    assertLinear(60_000, (length) => '://'.repeat(length / 3), withoutSecrets)
    assertLinear(60_000, (length) => `${'http:'.repeat(length / 5)} @`, withoutSecrets)
  })
})

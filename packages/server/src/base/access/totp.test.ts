import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  codeOf,
  hashRecoveryCode,
  isTotpSecret,
  newRecoveryCodes,
  newTotpSecret,
  stepAt,
  stepOf,
} from './totp.ts'

/** `12345678901234567890`, the key of RFC 6238, appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
/** Seconds since the epoch, and the last six of the eight digits there. */
const VECTORS = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

describe('A code by time', () => {
  it('is that of RFC 6238', () => {
    for (const [seconds, code] of VECTORS) {
      assert.equal(codeOf(SECRET, stepAt(seconds * 1_000)), code)
      assert.equal(stepOf(SECRET, code, seconds * 1_000), stepAt(seconds * 1_000))
    }
  })

  it('is taken one step early or late, and no other text is', () => {
    const now = 1_800_000_000_000
    const at = stepAt(now)
    for (const drift of [-1, 0, 1]) {
      assert.equal(stepOf(SECRET, codeOf(SECRET, at + drift), now), at + drift)
    }
    const others = [
      codeOf(SECRET, at - 2),
      codeOf(SECRET, at + 2),
      '',
      '12345',
      '1234567',
      'abcdef',
    ]
    for (const code of others) assert.equal(stepOf(SECRET, code, now), undefined, code)
  })

  it('has a secret of its own each time', () => {
    const [one, two] = [newTotpSecret(), newTotpSecret()]
    assert.ok(isTotpSecret(one) && isTotpSecret(two) && one !== two)
    for (const other of ['', one.slice(1), one.toLowerCase(), `${one}A`, null, 7]) {
      assert.ok(!isTotpSecret(other))
    }
  })
})

describe('Recovery codes', () => {
  it('are ten different ones, the same however they are typed', () => {
    const codes = newRecoveryCodes()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) {
      assert.match(code, /^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/)
      assert.equal(
        hashRecoveryCode(code.toUpperCase().replaceAll('-', ' ')),
        hashRecoveryCode(code),
      )
    }
  })
})

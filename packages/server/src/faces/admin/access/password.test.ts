import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD } from '../../../base/domain/access-settings.ts'
import { hashPassword, isPassword } from './password.ts'

describe('A password', () => {
  it('is verified by a salted hash, which differs each time and does not contain it', async () => {
    const password = 'correct horse battery'
    const [kept, other] = [await hashPassword(password), await hashPassword(password)]
    assert.match(kept, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.notEqual(kept, other)
    assert.ok(await isPassword(password, kept))
    for (const wrong of ['Correct horse battery', `${password} `, '', password.slice(1)]) {
      assert.ok(!(await isPassword(wrong, kept)), wrong)
    }
  })

  it('matches in every Unicode normalization form', async () => {
    const kept = await hashPassword('ﬁne pässword ①')
    assert.ok(await isPassword('fine pa\u0308ssword 1', kept))
    assert.ok(!(await isPassword('fine password 1', kept)))
  })

  it('is verified with the cost parameters of its hash', async () => {
    // RFC 7914, 12: the first half of scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1, 64).
    const salt = Buffer.from('SodiumChloride').toString('base64url')
    const hash = Buffer.from(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
      'hex',
    ).toString('base64url')
    assert.ok(await isPassword('pleaseletmein', `scrypt$16384$8$1$${salt}$${hash}`))
  })

  it('does not match an invalid hash', async () => {
    for (const kept of ['', 'plain', 'bcrypt$1$2$3$4$5', 'scrypt$32768$8$3$salt']) {
      await assert.rejects(isPassword('whatever it is', kept), /unknown type/)
    }
  })

  it('has 12 to 200 characters of any size, and is text', () => {
    for (const good of ['x'.repeat(12), '🚚'.repeat(12), '🚚'.repeat(200), ' '.repeat(12)]) {
      assert.ok(PASSWORD.holds(good))
    }
    for (const bad of ['x'.repeat(11), '🚚'.repeat(11), 'x'.repeat(201), '', null, 123456789012]) {
      assert.ok(!PASSWORD.holds(bad))
    }
  })
})

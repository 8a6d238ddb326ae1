import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Claims, personOf } from './claims.ts'

const IDENTITY = { iss: 'https://id.example.com', sub: '7' }
const person = (claims: object, trustsEmail = false) =>
  personOf({ ...IDENTITY, ...claims } as Claims, { groupsClaim: 'groups', trustsEmail })

describe('The claims of a person', () => {
  it('are read as providers send them', () => {
    assert.deepEqual(
      person({ email: ' Ann@Example.com', email_verified: true, name: 'Ann', groups: ['a', 'b'] }),
      {
        issuer: IDENTITY.iss,
        subject: '7',
        email: 'Ann@Example.com',
        isEmailVerified: true,
        name: 'Ann',
        groups: ['a', 'b'],
      },
    )
    assert.equal(person({ preferred_username: 'ann' }).name, 'ann')
  })

  it('have no groups, or an empty list of them', () => {
    assert.equal(person({}).groups, null)
    for (const groups of [[], null, 7, {}, [null, 7, {}]]) {
      assert.deepEqual(person({ groups }).groups, [], JSON.stringify(groups))
    }
    assert.deepEqual(person({ groups: 'a' }).groups, ['a'])
    assert.deepEqual(
      personOf({ ...IDENTITY, roles: ['r'] }, { groupsClaim: 'roles', trustsEmail: false }).groups,
      ['r'],
    )
  })

  it('have no address and no name that cannot be shown', () => {
    const addresses = ['', 'ann', 'a b@example.com', '@', `${'x'.repeat(253)}@a`, 'a<b@example.com']
    for (const email of [undefined, 7, ...addresses]) {
      assert.equal(person({ email }).email, null, String(email))
    }
    for (const name of ['', ' ', 7, 'a\u202eb', 'a\u0000', 'a\nb', 'a\tb', 'x'.repeat(201)]) {
      assert.equal(person({ name }).name, null, String(name))
    }
  })

  it('have a verified address if the provider says so, or is trusted and says nothing', () => {
    for (const said of [true, 'true', 1, '1']) {
      assert.equal(person({ email_verified: said }).isEmailVerified, true)
      assert.equal(person({ xms_edov: said }).isEmailVerified, true)
      assert.equal(person({ email_verified: false, xms_edov: said }).isEmailVerified, false)
    }
    for (const said of [false, 'false', 0, '0', 'yes', {}, [true]]) {
      assert.equal(person({ email_verified: said }, true).isEmailVerified, false)
      assert.equal(person({ xms_edov: said }, true).isEmailVerified, false)
    }
    assert.equal(person({}).isEmailVerified, false)
    assert.equal(person({}, true).isEmailVerified, true)
  })
})

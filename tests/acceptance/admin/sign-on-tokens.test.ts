import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { clock } from '../harness/clock.ts'
import type { Json } from '../harness/fleetgate.ts'
import { ANN, startSignOn } from '../harness/sign-on.ts'
import { landing, newVisitor, signOn, toCallback } from '../harness/visitor.ts'

const { provider, origin } = await startSignOn(['--sign-on-role', 'admins=operator'])
const AS_THEY_ARE = { shift: provider.shift, spoil: provider.spoil }
provider.person = ANN
afterEach(() => Object.assign(provider, AS_THEY_ARE))

const seconds = () => Math.floor(clock.now() / 1_000)
/** Where a sign-on leads whose ID token has other claims. */
async function withClaims(change: (claims: Json) => Json): Promise<string> {
  provider.shift = (claims) => ({ ...claims, ...change(claims) })
  return signOn(newVisitor(), origin, '/audit')
}

describe('An ID token', () => {
  it('opens a session if it is as the provider made it', async () => {
    assert.equal(await signOn(newVisitor(), origin, '/audit'), '/audit')
  })

  const WRONG: Record<string, (claims: Json) => Json> = {
    'of another audience': () => ({ aud: 'another client' }),
    'of several audiences, authorized for another': ({ aud }) => ({
      aud: [aud, 'another client'],
      azp: 'another client',
    }),
    'of another issuer': () => ({ iss: 'https://evil.example' }),
    'of the issuer with a slash more': ({ iss }) => ({ iss: `${iss}/` }),
    'with the nonce of another sign-in': () => ({ nonce: 'x'.repeat(43) }),
    'without a nonce': () => ({ nonce: undefined }),
    'without a subject': () => ({ sub: undefined }),
    'with an empty subject': () => ({ sub: '' }),
    'without an end': () => ({ exp: undefined }),
    'with an end that is text': ({ exp }) => ({ exp: String(exp) }),
    'without the time of its issue': () => ({ iat: undefined }),
  }
  for (const [what, change] of Object.entries(WRONG)) {
    it(`${what} is refused`, async () => {
      assert.equal(await withClaims(change), '/?sign_on=not_verified')
    })
  }

  const SKEWED: Record<string, (offset: number) => Json> = {
    'that has ended': (offset) => ({ exp: seconds() - offset }),
    'that was issued in the future': (offset) => ({ iat: seconds() + offset }),
    'that is not valid yet': (offset) => ({ nbf: seconds() + offset }),
  }
  for (const [what, change] of Object.entries(SKEWED)) {
    it(`${what} is taken within a minute, and refused beyond`, async () => {
      assert.equal(await withClaims(() => change(55)), '/audit')
      assert.equal(await withClaims(() => change(65)), '/?sign_on=not_verified')
    })
  }

  const SPOILT: Record<string, (token: string) => string> = {
    'signed with another key': (token) => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const body = token.slice(0, token.lastIndexOf('.'))
      return `${body}.${sign('sha256', Buffer.from(body), privateKey).toString('base64url')}`
    },
    'without a signature': (token) => {
      const header = Buffer.from('{"alg":"none"}').toString('base64url')
      return `${header}.${token.split('.')[1]}.`
    },
    'signed with the secret of the client': (token) => {
      const header = Buffer.from('{"alg":"HS256"}').toString('base64url')
      return `${header}.${token.split('.')[1]}.c2lnbmF0dXJl`
    },
    'with a key that the provider does not have': (token) => {
      const header = Buffer.from('{"alg":"RS256","kid":"another"}').toString('base64url')
      return [header, ...token.split('.').slice(1)].join('.')
    },
    'that is no token': () => 'x.y.z',
  }
  for (const [what, spoil] of Object.entries(SPOILT)) {
    it(`${what} is refused`, async () => {
      provider.spoil = spoil
      assert.equal(await signOn(newVisitor(), origin), '/?sign_on=not_verified')
    })
  }
})

describe('The person at the user-info endpoint', () => {
  it('must be the person of the ID token', async () => {
    provider.isThick = false
    assert.equal(await signOn(newVisitor(), origin, '/audit'), '/audit')
    assert.equal(await withClaims(() => ({ sub: 'bob' })), '/?sign_on=not_verified')
  })
})

describe('An answer of the provider', () => {
  it('is refused before its code is sent anywhere if another issuer gave it, or none (mix-up)', async () => {
    const visitor = newVisitor()
    for (const iss of ['https://evil.example', null]) {
      const callback = new URL(await toCallback(visitor, origin))
      assert.equal(callback.searchParams.get('iss'), provider.issuer)
      if (iss === null) callback.searchParams.delete('iss')
      else callback.searchParams.set('iss', iss)
      const before = provider.asked.length
      assert.equal(landing(await visitor.get(callback.href)), '/?sign_on=not_verified')
      assert.equal(provider.asked.length, before)
    }
  })

  it('with a parameter twice is refused', async () => {
    const visitor = newVisitor()
    const callback = await toCallback(visitor, origin)
    const code = new URL(callback).searchParams.get('code')
    assert.equal(landing(await visitor.get(`${callback}&code=${code}`)), '/?sign_on=not_verified')
  })
})

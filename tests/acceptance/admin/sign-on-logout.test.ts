import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { ADMIN, assertError } from '../harness/admin.ts'
import { type RequestOptions, request } from '../harness/client.ts'
import { clock } from '../harness/clock.ts'
import type { Json } from '../harness/fleetgate.ts'
import type { PersonClaims } from '../harness/provider.ts'
import { startSignOn } from '../harness/sign-on.ts'
import {
  landing,
  newVisitor,
  signOn,
  signOnAt,
  toCallback,
  type Visitor,
} from '../harness/visitor.ts'

const console = await startSignOn(['--sign-on-role', 'admins=operator'])
const { provider, origin } = console
const AS_IT_IS = { shift: provider.shift }
afterEach(() => {
  Object.assign(provider, AS_IT_IS)
  provider.down.clear()
})

const personNamed = (sub: string): PersonClaims => ({
  ...{ sub, name: sub, email: `${sub}@example.com`, email_verified: true, groups: ['admins'] },
})

/** Somebody who has signed in at the provider. `sid`: the id of the sign-in that the provider gives. */
async function signedOn(sub: string, sid?: string | null): Promise<Visitor> {
  provider.person = personNamed(sub)
  if (sid !== undefined) provider.shift = (claims) => ({ ...claims, sid: sid ?? undefined })
  const visitor = newVisitor()
  assert.equal(await signOn(visitor, origin), '/')
  return visitor
}

const stateOf = async (visitor: Visitor) =>
  (await visitor.get(`${origin}/admin/v1/session`)).json.state
const statesOf = (visitors: readonly Visitor[]) => Promise.all(visitors.map(stateOf))

/** Posts a form as a provider does, without `Origin`. */
function post(form: Record<string, string>, headers: RequestOptions['headers'] = {}) {
  const body = String(new URLSearchParams(form))
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', body, headers: { ...type, ...headers } }
  return request(origin, `${ADMIN}/sign-on/logout`, sent)
}

const tokenOf = (claims: Json) => provider.logoutToken({ jti: randomUUID(), ...claims })
const logout = (claims: Json) => post({ logout_token: tokenOf(claims) })

describe('A logout at the provider', () => {
  it('ends the session of that sign-in here, and no other of the person', async () => {
    const [here, elsewhere] = [await signedOn('ann'), await signedOn('ann')]
    const page = landing(await here.get(signOnAt(origin).end))
    const { text } = await here.get(page)
    const [, action, xsrf] = /action="([^"]+)".* name="xsrf" value="([^"]+)"/.exec(text)!
    await here.submit(action!, { xsrf: xsrf!, logout: 'yes' })
    assert.deepEqual(await statesOf([here, elsewhere]), ['signed_out', 'signed_in'])
  })

  it('ends all sessions that single sign-on opened for a person', async () => {
    const all = [await signedOn('bob'), await signedOn('bob', null), await signedOn('cid')]
    const answer = await logout({ sub: 'bob' })
    assert.deepEqual([answer.status, answer.text], [200, ''])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.deepEqual(await statesOf(all), ['signed_out', 'signed_out', 'signed_in'])
    const { items } = await console.operator.get('/audit')
    const { action, actor, name, changes } = items[0]
    assert.deepEqual(
      { action, actor, name, changes },
      {
        ...{ action: 'person.end_sessions', actor: 'single sign-on', name: null },
        changes: { sessions: { to: 2 }, single_sign_on: { to: true } },
      },
    )
  })

  it('ends the sessions of a sign-in, and those of the person whose sign-in is not known', async () => {
    const all = [await signedOn('dan', 'one'), await signedOn('dan', 'two')]
    const unknown = await signedOn('dan', null)
    await logout({ sid: 'one' })
    assert.deepEqual(await statesOf([...all, unknown]), ['signed_out', 'signed_in', 'signed_in'])
    await logout({ sub: 'eve', sid: 'two' })
    assert.equal(await stateOf(all[1]!), 'signed_in')
    await logout({ sub: 'dan', sid: 'three' })
    assert.deepEqual(await statesOf([all[1]!, unknown]), ['signed_in', 'signed_out'])
    await logout({ sub: 'dan', sid: 'two' })
    assert.equal(await stateOf(all[1]!), 'signed_out')
  })

  it('ends a sign-in that is being finished just then', async () => {
    const named: Json[] = [{ sub: 'gil' }, { sid: 'last' }, { sub: 'gil', sid: 'last' }]
    for (const [claims, sid] of [...named.map((each) => [each, 'last']), [named[2], undefined]]) {
      provider.person = personNamed('gil')
      const visitor = newVisitor()
      const callback = await toCallback(visitor, origin)
      provider.shift = async (token) => {
        assert.equal((await logout(claims)).status, 200)
        return { ...token, sid }
      }
      assert.equal(
        landing(await visitor.get(callback)),
        '/?sign_on=expired',
        JSON.stringify(claims),
      )
      assert.equal(await stateOf(visitor), 'signed_out')
    }
    const listed = await console.operator.get('/people')
    const { id } = listed.items.find(({ name }: Json) => name === 'gil')
    assert.deepEqual((await console.operator.get(`/people/${id}/sessions`)).items, [])
    await logout({ sub: 'gil', sid: 'another' })
    await signedOn('gil', 'last')
  })

  it('is taken of somebody who has no session here, or no account', async () => {
    for (const claims of [{ sub: 'nobody' }, { sid: 'no sign-in' }]) {
      assert.equal((await logout(claims)).status, 200)
    }
  })

  it('is taken once, so that nobody ends a later session with it', async () => {
    await signedOn('ann')
    const form = { logout_token: tokenOf({ sub: 'ann' }) }
    assert.equal((await post(form)).status, 200)
    const later = await signedOn('ann')
    assertError(await post(form), 400, 'invalid', 'logout_token')
    assert.equal(await stateOf(later), 'signed_in')
  })

  it('needs no origin, and is taken again if the keys of the provider could not be read', async () => {
    const one = await signedOn('fay')
    const other = await startSignOn()
    const token = other.provider.logoutToken({ jti: randomUUID(), sub: 'fay' })
    other.provider.down.add('/jwks')
    const sent = () =>
      request(other.origin, `${ADMIN}/sign-on/logout`, {
        method: 'POST',
        body: String(new URLSearchParams({ logout_token: token })),
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      })
    assertError(await sent(), 503, 'provider_down')
    other.provider.down.clear()
    assert.equal((await sent()).status, 200)
    assert.equal(await stateOf(one), 'signed_in', 'the person of another provider')
  })
})

describe('A logout token', () => {
  const seconds = () => Math.floor(clock.now() / 1_000)
  const WRONG: Record<string, () => Json> = {
    'of another audience': () => ({ aud: 'another client' }),
    'of another issuer': () => ({ iss: 'https://evil.example' }),
    'with a nonce, as an ID token has': () => ({ nonce: 'x' }),
    'without an event': () => ({ events: undefined }),
    'about another event': () => ({ events: { 'https://example.com/another': {} } }),
    'with an event that is no object': () => ({
      events: { 'http://schemas.openid.net/event/backchannel-logout': true },
    }),
    'of nobody': () => ({ sub: undefined }),
    'with a subject that is no text': () => ({ sub: 7 }),
    'with a sign-in that is no text': () => ({ sid: ['x'] }),
    'without an id': () => ({ jti: undefined }),
    'with an empty id': () => ({ jti: '' }),
    'that has ended': () => ({ exp: seconds() - 65 }),
    'without the time of its issue': () => ({ iat: undefined }),
    'that was issued long ago': () => ({ iat: seconds() - 365 }),
    'that was issued in the future': () => ({ iat: seconds() + 125 }),
  }
  const SPOILT: Record<string, (token: string) => string> = {
    'signed with another key': (token) => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const body = token.slice(0, token.lastIndexOf('.'))
      return `${body}.${sign('sha256', Buffer.from(body), privateKey).toString('base64url')}`
    },
    'without a signature': (token) => `${headed({ alg: 'none' }, token)}.`,
    'signed with a secret': (token) => `${headed({ alg: 'HS256' }, token)}.c2lnbmF0dXJl`,
    'that is no token': () => 'x.y.z',
  }
  const headed = (header: Json, token: string) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${token.split('.')[1]}`

  it('is refused if it is wrong, and ends nothing', async () => {
    const visitor = await signedOn('ann')
    const tokens = [
      ...Object.entries(WRONG).map(([what, claims]) => [
        what,
        tokenOf({ sub: 'ann', ...claims() }),
      ]),
      ...Object.entries(SPOILT).map(([what, spoil]) => [what, spoil(tokenOf({ sub: 'ann' }))]),
    ]
    for (const [what, token] of tokens) {
      const answer = await post({ logout_token: token! })
      assert.deepEqual([answer.status, answer.json.code], [400, 'invalid'], what)
    }
    assertError(await post({}), 400, 'invalid', 'logout_token')
    assert.equal(await stateOf(visitor), 'signed_in')
    const lines = console.server.log.filter(({ attempt }) => attempt === 'provider_end')
    assert.ok(lines.some(({ outcome, why }) => outcome === 'failed' && /nonce/.test(why)))
    for (const { why, ...line } of lines) {
      assert.equal('subject' in line, /already used/.test(why), 'only of a token that is right')
    }
    for (const [, token] of tokens) assert.ok(!JSON.stringify(lines).includes(token!))
    assert.equal((await logout({ sub: 'ann' })).status, 200)
    assert.equal(await stateOf(visitor), 'signed_out')
  })
})

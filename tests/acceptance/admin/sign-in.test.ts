import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import {
  type AdminOptions,
  ask,
  assertError,
  cookieOf,
  done,
  EMAIL,
  operatorBy,
  PASSWORD,
  secretOf,
  setUp,
  useLink,
} from '../harness/admin.ts'
import type { Answer } from '../harness/client.ts'
import { comparable } from '../harness/comparable.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'

const deployment = await newDeployment()
const server = await serveHere(deployment, ['--geocoder', 'off'])
after(() => server.stop())
const origin = server.admin
const _other = `http://localhost:${new URL(origin).port}`
const { setup: link }: { setup: string } = await server.secrets()
let addresses = 1

/** Sends from a network without earlier attempts. */
const fresh = () => ({ localAddress: `127.0.${++addresses}.1` })

function send(method: string, path: string, { headers, ...options }: AdminOptions = {}) {
  return ask(origin, method, path, { ...options, headers: { origin, ...headers } })
}

const signIn = (password: unknown, options: AdminOptions = {}, email: unknown = EMAIL) =>
  send('POST', '/session', { body: { email, password }, ...options })

const NEW = { email: EMAIL, name: 'Ada' }
const SIGNED_OUT = {
  state: 'signed_out',
  ...{ expires_at: null, account: null, roles: [], must_set_up_totp: false },
  ...{ sign_on: null, takes_passwords: true },
}

/** Too long for a password, so the server rejects it without hashing. */
const WRONG = 'x'.repeat(201)

const sessionOf = async (cookie = '') =>
  done(await send('GET', '/session', { headers: { cookie } }))

let kept = ''
/** The cookie of a session that no test ends. */
async function cookie(): Promise<string> {
  if ((await sessionOf(kept)).state !== 'signed_in')
    kept = cookieOf(await signIn(PASSWORD, fresh()))
  return kept
}

describe('Before there is an account', () => {
  it('the startup message holds a link and the address of the console', async () => {
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/setup#fg_init_\w{36}$/)
    assert.equal(server.log[0].console, origin)
    assert.deepEqual(await sessionOf(), { ...SIGNED_OUT, state: 'setup' })
  })

  it('the log on stdout holds no link', () => {
    assert.ok(!JSON.stringify(server.log).includes('fg_init_'))
  })

  it('nobody can sign in', async () => {
    assertError(await signIn('', fresh()), 401, 'wrong_password')
    assertError(await signIn(PASSWORD, fresh()), 401, 'wrong_password')
  })

  it('a password of 11 or 201 characters is refused, and the link remains valid', async () => {
    for (const password of [
      '12345678901',
      'x'.repeat(201),
      12345678901234,
      null,
      ['x'.repeat(12)],
    ]) {
      const body = { ...NEW, token: secretOf(link), password }
      assertError(await send('POST', '/setup', { body }), 400, 'invalid', 'password')
    }
  })

  it('no other secret sets a password, however similar', async () => {
    const secret = secretOf(link)
    const changed = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
    for (const token of [changed, '', null, {}, `fg_init_${'0'.repeat(36)}`]) {
      const body = { ...NEW, token, password: PASSWORD }
      assertError(await send('POST', '/setup', { body, ...fresh() }), 401, 'bad_token', 'token')
    }
  })

  it('a name and an e-mail address are needed, and the link remains valid', async () => {
    for (const [field, values] of [
      ['name', [undefined, '', 7]],
      ['email', [undefined, '', 'ada', 'a b@example.com', `${'x'.repeat(250)}@example.com`, null]],
    ] as const) {
      for (const value of values) {
        const body = { ...NEW, token: secretOf(link), password: PASSWORD, [field]: value }
        assertError(await send('POST', '/setup', { body }), 400, 'invalid', field)
      }
    }
  })

  it('the link makes one account, even when used several times at once', async () => {
    const body = { ...NEW, email: 'ADA@Example.com', token: secretOf(link), password: PASSWORD }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', '/setup', { body, ...fresh() })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401, 401, 401])
    assertError(await send('POST', '/setup', { body, ...fresh() }), 401, 'bad_token')
    const cookie = cookieOf(answers.find(({ status }) => status === 204)!)
    const { state, expires_at, account, roles } = await sessionOf(cookie)
    assert.equal(state, 'signed_in')
    const { id, ...shown } = account
    const ways = { has_password: true, has_totp: false, is_linked: false }
    assert.deepEqual(shown, { email: EMAIL, name: 'Ada', ...ways })
    assert.deepEqual(roles, [{ role: 'operator', organization: null, is_from_sign_on: false }])
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000
    assert.ok(hours > 11.9 && hours <= 12, expires_at)
    assert.deepEqual(await sessionOf(), SIGNED_OUT)
  })
})

describe('A session', () => {
  it('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await signIn(PASSWORD, fresh())
    assert.equal(answer.status, 204)
    const [cookie, device, ...more] = answer.headers['set-cookie'] ?? []
    assert.deepEqual(more, [])
    assert.match(
      String(cookie),
      /^fleetgate_session=fg_sess_\w{36}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    assert.match(
      String(device),
      /^fleetgate_device=fg_devi_\w{36}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/,
    )
  })

  it('leaves a device cookie that identifies the browser and grants no access', async () => {
    const deviceIn = ({ headers }: Answer) => headers['set-cookie']![1]!.split(';')[0]!
    const signInWith = (cookie: string) => signIn(PASSWORD, { headers: { cookie }, ...fresh() })
    const device = deviceIn(await signIn(PASSWORD, fresh()))
    assert.equal((await sessionOf(device)).state, 'signed_out')
    assert.equal(deviceIn(await signInWith(device)), device)
    // The right form, but no sign-in issued it.
    const planted = 'fleetgate_device=fg_devi_0000000000000000000000000000002cPfoO'
    assert.notEqual(deviceIn(await signInWith(planted)), planted)
  })

  it('is replaced by another sign-in of the same browser', async () => {
    const before = await cookie()
    const after = cookieOf(await signIn(PASSWORD, { headers: { cookie: before }, ...fresh() }))
    assert.equal((await sessionOf(before)).state, 'signed_out')
    assert.equal((await sessionOf(after)).state, 'signed_in')
  })

  it('ends on sign-out, and other sessions continue', async () => {
    const [one, two] = [cookieOf(await signIn(PASSWORD)), await cookie()]
    const answer = await send('DELETE', '/session', { headers: { cookie: one } })
    assert.equal(answer.status, 204)
    assert.match(String(answer.headers['set-cookie']), /^fleetgate_session=;.*Max-Age=0/)
    assert.equal((await sessionOf(one)).state, 'signed_out')
    assert.equal((await sessionOf(two)).state, 'signed_in')
    const again = await send('DELETE', '/session', { headers: { cookie: one } })
    assertError(again, 401, 'signed_out')
  })

  it('is not accepted as a token, nor is any string like one', async () => {
    const secret = (await cookie()).split('=')[1]!
    for (const headers of [
      { authorization: `Bearer ${secret}` },
      { cookie: `fleetgate_session=${secret}x` },
      { cookie: `fleetgate_session=${secret.slice(0, -1)}` },
      { cookie: `FLEETGATE_SESSION=${secret}` },
      { cookie: `fleetgate_session=fg_sess_${'0'.repeat(36)}` },
      { cookie: 'fleetgate_session=' },
      // A valid session does not make up for a wrong token.
      { authorization: 'Bearer wrong', cookie: `fleetgate_session=${secret}` },
    ] as Record<string, string>[]) {
      assertError(await send('GET', '/server', { headers }), 401, 'signed_out')
    }
  })
})

describe('An e-mail address', () => {
  it('is the same in any letters, and an unknown one is answered like a wrong password', async () => {
    assert.equal((await signIn(PASSWORD, fresh(), ' Ada@EXAMPLE.com ')).status, 204)
    const [wrong, unknown] = [
      await signIn('a wrong password', fresh()),
      await signIn('a wrong password', fresh(), 'nobody@example.com'),
    ]
    assertError(wrong, 401, 'wrong_password', 'password')
    assert.equal(comparable(unknown), comparable(wrong))
    for (const email of [null, 7, ['x'], {}]) {
      assertError(await signIn(PASSWORD, fresh(), email), 400, 'invalid', 'email')
    }
  })
})

describe('The password', () => {
  it('allows 5 attempts at once from a known network, then one after each pause', async () => {
    const address = fresh()
    assert.equal((await signIn(PASSWORD, address)).status, 204)
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(WRONG, address)))
    const of = (status: number) => answers.filter((answer) => answer.status === status)
    assert.equal(of(401).length, 5)
    assert.equal(of(429).length, 7)
    for (const answer of of(429)) assert.equal(answer.headers['retry-after'], '1')
    assertError(of(429)[0]!, 429, 'too_many_attempts')
    assert.equal((await signIn(PASSWORD, fresh())).status, 204)
  })

  it('is refused before hashing when it is too long', async () => {
    assertError(await signIn('x'.repeat(10_000), fresh()), 401, 'wrong_password')
    assertError(await signIn('x'.repeat(20_000), fresh()), 413, 'too_large')
  })

  it('is changed by the operator who knows it, which ends all other sessions', async () => {
    const [one, two] = [cookieOf(await signIn(PASSWORD)), cookieOf(await signIn(PASSWORD))]
    const operator = operatorBy(() => origin, { cookie: one })
    const change = (body: object) => operator.ask('PUT', '/password', { body, ...fresh() })
    // The password matches in every Unicode normalization form.
    const [composed, next] = ['pässwörter überall', 'pässwörter überall'.normalize('NFD')]
    assertError(await change({ current: 'wrong one', next }), 400, 'wrong_password', 'current')
    assertError(await change({ current: PASSWORD, next: 'short' }), 400, 'invalid', 'next')
    assertError(await change({ current: PASSWORD }), 400, 'invalid', 'next')
    assertError(await change({ next }), 400, 'invalid', 'current')
    assertError(await change({ current: PASSWORD, next, x: 1 }), 400, 'invalid', 'x')
    assert.equal((await sessionOf(two)).state, 'signed_in')
    assert.equal((await change({ current: PASSWORD, next })).status, 204)
    assert.equal((await sessionOf(one)).state, 'signed_in')
    assert.equal((await sessionOf(two)).state, 'signed_out')
    assertError(await signIn(PASSWORD, fresh()), 401, 'wrong_password')
    assert.equal((await signIn(composed, fresh())).status, 204)
    assert.equal((await change({ current: composed, next: PASSWORD })).status, 204)
  })
})

describe('A change that a page of another site sends', () => {
  const FOREIGN: Record<string, Record<string, string>> = {
    'of another site': { origin: 'https://evil.example' },
    'of another port of this host': { origin: 'http://127.0.0.1:1' },
    'of an opaque origin': { origin: 'null' },
    'without any origin': { origin: '' },
    'of a page that asks across sites': { origin, 'sec-fetch-site': 'cross-site' },
    'of a page of the same site': { origin, 'sec-fetch-site': 'same-site' },
    'with a name and a password in its address': { origin: '', authorization: 'Basic YTpi' },
  }

  for (const [what, headers] of Object.entries(FOREIGN)) {
    it(`${what} is refused, with or without a session`, async () => {
      const sent = Object.entries({ cookie: await cookie(), ...headers }).filter(
        ([, value]) => value !== '',
      )
      const options = { headers: Object.fromEntries(sent), body: { name: 'Theirs' } }
      for (const [method, path] of [
        ['POST', '/organizations'],
        ['DELETE', '/session'],
        ['POST', '/session'],
        ['POST', '/setup'],
        ['PUT', '/no/such/path'],
      ] as const) {
        assertError(await ask(origin, method, path, options), 403, 'foreign_origin')
      }
      assert.equal((await sessionOf(await cookie())).state, 'signed_in')
    })
  }
})

describe("'people reset'", () => {
  it('makes a link for a new password, which ends sessions and works once', async () => {
    const cookie = cookieOf(await signIn(PASSWORD))
    const reset = () => jsonHere(['people', 'reset', EMAIL, ...deployment.args])
    const first = (await reset()).link
    assert.match(first, /^http:\/\/127\.0\.0\.1:\d+\/setup#fg_init_\w{36}$/)
    assert.equal((await sessionOf(cookie)).state, 'signed_in', 'until the link is used')
    const second = (await reset()).link
    for (const old of [link, first]) {
      const body = { token: secretOf(old), password: PASSWORD }
      assertError(await send('POST', '/setup', { body, ...fresh() }), 401, 'bad_token')
    }
    const shown = done(await send('POST', '/link', { body: { token: secretOf(second) } }))
    assert.deepEqual([shown.kind, shown.email, shown.role], ['reset', EMAIL, null])
    const opened = await useLink(origin, secretOf(second), { name: undefined, password: PASSWORD })
    assert.equal((await sessionOf(opened)).state, 'signed_in')
    assert.equal((await sessionOf(cookie)).state, 'signed_out')
    const body = { token: secretOf(second), password: PASSWORD }
    assertError(await send('POST', '/setup', { body, ...fresh() }), 401, 'bad_token')
  })
})

describe('A server', () => {
  it('keeps accounts and sessions across a restart, and prints no link', async () => {
    const place = await newDeployment()
    const first = await serveHere(place)
    const cookie = await setUp(first)
    await first.stop()
    const second = await serveHere(place, ['--console-url', 'https://console.example.com'])
    assert.equal(second.log[0].console, 'https://console.example.com')
    const stateBy = async (sent: string) =>
      done(await ask(second.admin, 'GET', '/session', { headers: { cookie: sent } })).state
    assert.equal(await stateBy(cookie), 'signed_out')
    assert.equal(await stateBy(`__Host-${cookie}`), 'signed_in')
    const headers = { cookie: `__Host-${cookie}`, origin: 'https://console.example.com' }
    const body = { email: EMAIL, password: PASSWORD }
    const answer = await ask(second.admin, 'POST', '/session', { headers, body })
    for (const set of answer.headers['set-cookie']!)
      assert.match(set, /^__Host-.*; Path=\/; .*; Secure$/)
    assert.deepEqual(await second.secrets(), {})
    const forged = { ...headers, origin: 'http://console.example.com' }
    assertError(
      await ask(second.admin, 'POST', '/session', { headers: forged, body }),
      403,
      'foreign_origin',
    )
    await second.stop()
  })

  it('counts attempts by the address of the connection, unless it trusts the proxy there', async () => {
    // The password was set from this address.
    const here = { localAddress: '127.0.0.1' }
    const attempt = async (address: string) =>
      (await signIn(WRONG, { headers: { 'x-forwarded-for': address }, ...here })).status
    for (let i = 0; i < 5; i++) assert.equal(await attempt(`203.0.${i}.7`), 401)
    assert.equal(await attempt('203.0.9.7'), 429)
  })

  it('replaces the link at each start until there is an account', async () => {
    const place = await newDeployment()
    const first = await serveHere(place)
    await first.stop()
    const second = await serveHere(place, ['--console-url', 'https://console.example.com'])
    assert.match((await second.secrets()).setup, /^https:\/\/console\.example\.com\/setup#fg_init_/)
    const old = { ...NEW, token: secretOf((await first.secrets()).setup), password: PASSWORD }
    const headers = { origin: second.admin }
    const refused = await ask(second.admin, 'POST', '/setup', { headers, body: old })
    assertError(refused, 401, 'bad_token')
    await setUp(second)
    await second.stop()
  })
})

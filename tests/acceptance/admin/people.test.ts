import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, stepAt } from '../../../packages/server/src/base/access/totp.ts'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import {
  ask,
  assertError,
  cookieOf,
  done,
  EMAIL,
  type Operator,
  operatorBy,
  PASSWORD,
  startConsole,
  useLink,
} from '../harness/admin.ts'
import type { Answer } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Known, newPerson, newProgram, placeOf } from '../harness/people.ts'

const console = await startConsole()
const { operator, origin, deployment } = console
const one: number = (await operator.post('/organizations', { name: 'One' })).id
const two: number = (await operator.post('/organizations', { name: 'Two' })).id
const [inOne, inTwo] = [placeOf(one), placeOf(two)]
const MISSING = 9_007_199_254_740_991

const person = (role: string, organization: number | null) =>
  newPerson(origin, operator, role, organization)
const command = (...args: string[]) => jsonHere([...args, ...deployment.args])

/** Sends from the address where all accounts were made, so that it is known for each. */
function open(method: string, path: string, body: object): Promise<Answer> {
  return ask(origin(), method, path, { body, headers: { origin: origin() } })
}
const signIn = (email: string, code?: string | null) =>
  open('POST', '/session', { email, password: PASSWORD, ...(code !== undefined && { code }) })

const by = (cookie: string) => operatorBy(origin, { cookie })
const isIn = async ({ ask }: Operator) => (await ask('GET', '/organizations')).status === 200
const rolesOf = async (who: Operator) =>
  (await who.get('/session')).roles.map(({ role, organization }: Json) => [role, organization])

async function invite(by: Operator, role: string, organization: number | null, email: string) {
  return (await by.post(`${placeOf(organization)}/invitations`, { email, role })).secret as string
}

describe('An invitation', () => {
  it('makes an account with its address and its role, once', async () => {
    const token = await invite(operator, 'viewer', one, 'Eve@Example.com')
    const shown = done(await open('POST', '/link', { token }))
    assert.deepEqual(
      [shown.kind, shown.email, shown.role, shown.organization],
      ['invitation', 'eve@example.com', 'viewer', 'One'],
    )
    const body = { token, name: 'Eve', email: 'other@example.com', password: PASSWORD }
    const answers = await Promise.all(Array.from({ length: 3 }, () => open('POST', '/setup', body)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401, 401])
    const eve = by(cookieOf(answers.find(({ status }) => status === 204)!))
    assert.equal((await eve.get('/session')).account.email, 'eve@example.com')
    assert.deepEqual(await rolesOf(eve), [['viewer', one]])
    assertError(await open('POST', '/link', { token }), 401, 'bad_token', 'token')
  })

  it('gives an account with its address the role, after it has signed in', async () => {
    const [ada, bob] = [await person('viewer', one), await person('viewer', one)]
    const token = await invite(operator, 'administrator', two, ada.email)
    const stranger = await invite(operator, 'administrator', two, 'nobody@example.com')
    const [shown, other] = await Promise.all(
      [token, stranger].map(async (each) => done(await open('POST', '/link', { token: each }))),
    )
    const { email, expires_at } = shown
    assert.deepEqual({ ...other, email, expires_at }, shown, 'it does not say who has an account')
    const body = { token, name: 'Not Ada', password: 'another long password' }
    assertError(await open('POST', '/setup', body), 409, 'conflict', 'email')
    assertError(await bob.ask('POST', '/invitation', { body: { token } }), 409, 'conflict')
    assert.deepEqual(await rolesOf(ada), [['viewer', one]])
    done(await ada.ask('POST', '/invitation', { body: { token } }))
    assert.deepEqual(await rolesOf(ada), [
      ['viewer', one],
      ['administrator', two],
    ])
    assertError(await ada.ask('POST', '/invitation', { body: { token } }), 401, 'bad_token')
  })

  it('by an administrator is for its own organization, and its roles alone', async () => {
    const admin = await person('administrator', one)
    for (const role of ['operator', 'support']) {
      const body = { email: 'x@example.com', role }
      assertError(await admin.ask('POST', `${inOne}/invitations`, { body }), 400, 'invalid', 'role')
      assertError(await admin.ask('POST', '/invitations', { body }), 403, 'beyond_role')
    }
    const body = { email: 'x@example.com', role: 'viewer' }
    assertError(await admin.ask('POST', `${inTwo}/invitations`, { body }), 404, 'not_found')
    const token = await invite(admin, 'administrator', one, 'x@example.com')
    const listed = (await admin.get(`${inOne}/invitations`)).items
    assert.deepEqual(listed.at(-1).issued_by, admin.email)
    assert.ok(!JSON.stringify(listed).includes(token))
    assert.deepEqual(await rolesOf(by(await useLink(origin(), token))), [['administrator', one]])
  })

  it('is for no text that is no address in the form in which addresses are compared', async () => {
    for (const email of [
      'a\uff20b@example.com',
      'a\uff1e\uff1cb@example.com',
      '\ufdfa@example.com',
    ]) {
      const body = { email, role: 'viewer' }
      assertError(
        await operator.ask('POST', `${inOne}/invitations`, { body }),
        ...([400, 'invalid', 'email'] as const),
      )
    }
  })

  it('is worth nothing when its issuer may not give it any more, or ended it', async () => {
    const admin = await person('administrator', one)
    const { invitation, secret } = await admin.post(`${inOne}/invitations`, {
      email: 'y@example.com',
      role: 'administrator',
    })
    await operator.patch(`${inOne}/people/${admin.id}`, { role: 'viewer' })
    assertError(await open('POST', '/link', { token: secret }), 401, 'bad_token')
    await operator.patch(`${inOne}/people/${admin.id}`, { role: 'administrator' })
    done(await open('POST', '/link', { token: secret }))
    await admin.delete(`${inOne}/invitations/${invitation.id}`)
    assertError(await open('POST', '/link', { token: secret }), 401, 'bad_token')
  })
})

describe('A change of a person', () => {
  it('holds from the next request, whoever makes it', async () => {
    const ada = await person('administrator', one)
    const at = `${inOne}/people/${ada.id}`
    const keys = () => ada.ask('GET', `${inOne}/keys`)
    assert.equal((await keys()).status, 200)
    await operator.patch(at, { role: 'viewer' })
    assertError(await keys(), 403, 'beyond_role')
    await command('people', 'roles', ada.email, '--role', 'administrator', '--org', String(one))
    assert.equal((await keys()).status, 200)
    await operator.patch(at, { role: null })
    assertError(await keys(), 404, 'not_found')
    assertError(await ada.ask('GET', '/organizations'), 403, 'beyond_role')
    assert.deepEqual(await rolesOf(ada), [])
    assertError(
      await operator.ask('PATCH', `${inOne}/people/${MISSING}`, { body: {} }),
      404,
      'not_found',
    )
    await operator.patch(at, { role: 'viewer' })
    assert.ok(await isIn(ada))
  })

  it('ends all sessions if it disables the person, whose sign-in is refused like a wrong password', async () => {
    const ada = await person('viewer', one)
    const other = by(cookieOf(await signIn(ada.email)))
    await command('people', 'disable', ada.email)
    for (const each of [ada, other])
      assertError(await each.ask('GET', '/server'), 401, 'signed_out')
    assertError(await signIn(ada.email), 401, 'wrong_password', 'password')
    await operator.patch(`/people/${ada.id}`, { is_disabled: false })
    assert.ok(!(await isIn(ada)), 'the sessions stay ended')
    assert.equal((await signIn(ada.email)).status, 204)
  })

  it('is up to an administrator only where the person has no role elsewhere', async () => {
    const admin = await person('administrator', one)
    const own = await person('administrator', one)
    const shared = await person('viewer', one)
    await operator.patch(`${inTwo}/people/${shared.id}`, { role: 'viewer' })
    const support = await person('support', null)
    await operator.patch(`${inOne}/people/${support.id}`, { role: 'viewer' })
    const foreign = await person('viewer', two)
    const acts: [method: string, path: string, body?: object][] = [
      ['POST', '/reset'],
      ['PATCH', '', { is_disabled: true }],
      ['PATCH', '', { name: 'Renamed' }],
      ['GET', '/sessions'],
      ['DELETE', '/sessions'],
      ['DELETE', '/sign-on'],
      ['DELETE', ''],
    ]
    const act = (id: number, [method, path, body]: (typeof acts)[number]) =>
      admin.ask(method, `${inOne}/people/${id}${path}`, { ...(body && { body }) })
    for (const { id } of [shared, support]) {
      for (const each of acts) assertError(await act(id, each), 403, 'has_other_roles')
    }
    for (const id of [foreign.id, 1, MISSING]) {
      for (const each of acts) assertError(await act(id, each), 404, 'not_found')
      const body = { role: 'administrator' }
      const raised = await admin.ask('PATCH', `${inOne}/people/${id}`, { body })
      assertError(raised, 404, 'not_found')
    }
    for (const each of acts) {
      const answer = await act(own.id, each)
      if (each[1] === '/sign-on') assertError(answer, 409, 'conflict')
      else assert.ok(answer.status < 300, answer.text)
    }
    for (const each of [shared, support, foreign]) assert.ok(await isIn(each))
    const { items } = await support.get(`${inOne}/people/${shared.id}/sessions`)
    assert.equal(items.length, 1, 'support reads the whole deployment')
    const people = (await admin.get(`${inOne}/people`)).items
    const seen = people.find(({ id }: Json) => id === shared.id)
    assert.deepEqual(
      seen.roles.map(({ organization }: Json) => organization),
      [one],
    )
    assert.ok(!people.some(({ id }: Json) => id === foreign.id || id === 1))
  })

  it('renames the person, in every answer', async () => {
    const admin = await person('administrator', one)
    const ada = await person('viewer', one)
    const name = 'Ada L.'
    assert.equal((await admin.patch(`${inOne}/people/${ada.id}`, { name })).name, name)
    assert.equal((await ada.get('/session')).account.name, name)
    for (const wrong of ['', 'two\nlines', 'Ada <eve@example.com>']) {
      const answer = await operator.ask('PATCH', `/people/${ada.id}`, { body: { name: wrong } })
      assertError(answer, 400, 'invalid', 'name')
    }
  })

  it('deletes the person, whose sessions and tokens end at once', async () => {
    const admin = await person('administrator', one)
    const ada = await person('administrator', one)
    const program = await newProgram(origin, ada, 'viewer', one)
    const token = await invite(ada, 'viewer', one, 'z@example.com')
    await admin.delete(`${inOne}/people/${ada.id}`)
    assertError(await ada.ask('GET', '/server'), 401, 'signed_out')
    assertError(await program.ask('GET', inOne), 401, 'signed_out')
    assertError(await open('POST', '/link', { token }), 401, 'bad_token')
    assertError(await signIn(ada.email), 401, 'wrong_password', 'password')
    assertError(await admin.ask('DELETE', `${inOne}/people/${ada.id}`), 404, 'not_found')
    assertError(await admin.ask('DELETE', `${inOne}/people/${admin.id}`), 403, 'own_account')
    assertError(await operator.ask('DELETE', '/people/1'), 403, 'own_account')
    const { items } = await admin.get(`${inOne}/audit`)
    const { action, changes } = items[0]
    assert.deepEqual(
      [action, changes],
      ['person.set_role', { role: { from: 'administrator', to: null } }],
    )
  })

  it('takes the way in from the last operator in no way', async () => {
    for (const body of [{ is_disabled: true }, { role: null }, { role: 'support' }]) {
      assertError(await operator.ask('PATCH', '/people/1', { body }), 409, 'conflict')
    }
    await assert.rejects(command('people', 'disable', EMAIL), /last operator/)
    await assert.rejects(command('people', 'roles', EMAIL, '--remove'), /last operator/)
    const second = await person('operator', null)
    await second.patch('/people/1', { role: 'support' })
    assertError(
      await operator.ask('POST', '/organizations', { body: { name: 'x' } }),
      403,
      'beyond_role',
    )
    assertError(
      await second.ask('PATCH', `/people/${second.id}`, { body: { role: null } }),
      409,
      'conflict',
    )
    await second.patch('/people/1', { role: 'operator' })
  })
})

describe('A link for a new password', () => {
  it('is made by nobody for the own account, which takes the present password', async () => {
    const admin = await person('administrator', one)
    const own = await admin.ask('POST', `${inOne}/people/${admin.id}/reset`)
    assertError(own, 403, 'own_account')
    assertError(await operator.ask('POST', '/people/1/reset'), 403, 'own_account')
  })

  it('is made by who manages the person, and ends codes and sessions when it is used', async () => {
    const admin = await person('administrator', one)
    const ada = await person('viewer', one)
    await withCodes(ada)
    const { secret } = await admin.post(`${inOne}/people/${ada.id}/reset`)
    assert.ok(await isIn(ada), 'until it is used')
    const password = 'another long password'
    const back = by(await useLink(origin(), secret, { name: undefined, password }))
    assert.ok(await isIn(back))
    assert.ok(!(await isIn(ada)))
    assertError(await signIn(ada.email), 401, 'wrong_password')
    const again = await open('POST', '/session', { email: ada.email, password })
    assert.equal(again.status, 204, 'without a code')
  })
})

describe('Sessions', () => {
  it('are listed and ended: the own ones, and those of others by who manages them', async () => {
    const ada = await person('viewer', one)
    const other = by(cookieOf(await signIn(ada.email)))
    const third = by(cookieOf(await signIn(ada.email)))
    const { items } = await ada.get('/account/sessions')
    assert.deepEqual(
      items.map(({ is_own }: Json) => is_own),
      [true, false, false],
    )
    await ada.delete(`/account/sessions/${items[1].id}`)
    assert.deepEqual([await isIn(other), await isIn(third)], [false, true])
    const [{ id: foreign }] = (await operator.get('/account/sessions')).items
    assertError(await ada.ask('DELETE', `/account/sessions/${foreign}`), 404, 'not_found')
    const shown = (await operator.get(`/people/${ada.id}/sessions`)).items
    assert.equal(shown.length, 2)
    assertError(
      await operator.ask('DELETE', `/people/${ada.id}/sessions/${foreign}`),
      404,
      'not_found',
    )
    await operator.delete(`/people/${ada.id}/sessions/${shown[1].id}`)
    assert.ok(!(await isIn(third)))
    const [{ actor, action, target, changes }] = (await operator.get('/audit?limit=1')).items
    assert.match(actor, /^person 1 /)
    assert.deepEqual(
      [action, target, changes],
      ['person.end_sessions', ada.id, { sessions: { to: 1 } }],
    )
    await operator.delete(`/people/${ada.id}/sessions`)
    assert.ok(!(await isIn(ada)))
    await operator.delete('/people/1/sessions')
    assert.ok(await isIn(operator), 'the own one stays')
  })

  it('have a new secret at each sign-in, whatever cookie came with it', async () => {
    const ada = await person('viewer', one)
    const planted = ada.headers.cookie!
    const options = { headers: { origin: origin(), cookie: planted } }
    const body = { email: ada.email, password: PASSWORD }
    const answer = await ask(origin(), 'POST', '/session', { ...options, body })
    assert.notEqual(cookieOf(answer), planted)
  })
})

/** The code of some steps from now: each works once. */
const codeIn = (secret: string, steps = 0) => codeOf(secret, stepAt(Date.now()) + steps)

/** `used`: the code that set them up. */
async function withCodes(who: Known): Promise<{ secret: string; codes: string[]; used: string }> {
  const { secret, uri } = await who.post('/account/totp')
  assert.ok(uri.startsWith('otpauth://totp/Fleetgate') && uri.includes(secret))
  const used = codeIn(secret)
  const body = { current: PASSWORD, secret, code: used }
  const set = done(await who.ask('PUT', '/account/totp', { body }))
  return { secret, codes: set.recovery_codes, used }
}

describe('Codes', () => {
  it('are asked for after the right password, and each works once', async () => {
    const ada = await person('viewer', one)
    const { secret, codes, used } = await withCodes(ada)
    assertError(await signIn(ada.email), 401, 'code_required', 'code')
    const wrong = await open('POST', '/session', { email: ada.email, password: 'a wrong password' })
    assertError(wrong, 401, 'wrong_password')
    assertError(await signIn(ada.email, used), 401, 'wrong_code', 'code')
    // Steps may pass meanwhile. That of the next code is later than the one that was used.
    const code = codeIn(secret, 1)
    const answers = await Promise.all([signIn(ada.email, code), signIn(ada.email, code)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401])
    assertError(await signIn(ada.email, code), 401, 'wrong_code')
    assert.equal((await signIn(ada.email, codes[0]!.toUpperCase())).status, 204)
    assertError(await signIn(ada.email, codes[0]!), 401, 'wrong_code')
    assert.equal((await signIn(ada.email, codes[1]!)).status, 204)
  })

  it('are guessed five times, and then slowly, from any number of networks', async () => {
    const ada = await person('viewer', one)
    await withCodes(ada)
    const beganAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => signIn(ada.email, '000000x')),
    )
    const seconds = (performance.now() - beganAt) / 1_000
    const checked = answers.filter(({ status }) => status === 401).length
    // Five, and one after each pause, which doubles from a second.
    const most = 5 + Math.ceil(Math.log2(seconds + 1))
    assert.ok(checked >= 5 && checked <= most, `${checked} in ${seconds} s`)
    assert.ok(answers.some(({ status }) => status === 429))
  })

  it('are set up and ended only with the current password, and with a code of the secret', async () => {
    const ada = await person('viewer', one)
    const { secret } = await ada.post('/account/totp')
    const put = (body: object) => ada.ask('PUT', '/account/totp', { body })
    const code = codeIn(secret)
    assertError(
      await put({ current: 'not it at all', secret, code }),
      400,
      'wrong_password',
      'current',
    )
    assertError(
      await put({ current: PASSWORD, secret, code: codeIn(secret, 9) }),
      400,
      'wrong_code',
      'code',
    )
    assert.equal((await ada.get('/session')).account.has_totp, false)
    done(await put({ current: PASSWORD, secret, code }))
    assert.equal((await ada.get('/session')).account.has_totp, true)
    assertError(await put({ current: 'not it at all', secret: null }), 400, 'wrong_password')
    assert.deepEqual(done(await put({ current: PASSWORD, secret: null })), { recovery_codes: [] })
    assert.equal((await signIn(ada.email)).status, 204)
  })

  it('may be required of everybody who signs in with a password', async () => {
    const ada = await person('viewer', one)
    const body = { requires_totp: true }
    assertError(await operator.ask('PATCH', '/access', { body }), 409, 'conflict', 'requires_totp')
    await command('people', 'settings', '--requires-totp')
    try {
      for (const path of ['/organizations', '/account/sessions']) {
        assertError(await ada.ask('GET', path), 403, 'second_factor_required')
      }
      assertError(await ada.ask('POST', '/account/sign-on'), 403, 'second_factor_required')
      assert.equal((await ada.get('/session')).must_set_up_totp, true)
      const token = await invite(await secondOperator(), 'viewer', two, ada.email)
      done(await ada.ask('POST', '/invitation', { body: { token } }))
      await withCodes(ada)
      assert.equal((await ada.get('/session')).must_set_up_totp, false)
      assert.ok(await isIn(ada))
      const off = { current: PASSWORD, secret: null }
      const refused = await ada.ask('PUT', '/account/totp', { body: off })
      assertError(refused, 409, 'conflict', 'secret')
      const program = await newProgram(origin, await secondOperator(), 'support', null)
      await program.get('/organizations')
    } finally {
      await command('people', 'settings', '--no-requires-totp')
    }
    assert.ok(await isIn(operator))
  })
})

let second: Known | undefined
/** An operator with codes. */
async function secondOperator(): Promise<Known> {
  if (second !== undefined) return second
  const { link } = await command('people', 'invite', 'op@example.com', '--role', 'operator')
  const cookie = await useLink(origin(), new URL(link).hash.slice(1))
  const made = by(cookie)
  const { account } = await made.get('/session')
  second = { ...made, id: account.id, email: account.email, role: 'operator' }
  await withCodes(second)
  return second
}

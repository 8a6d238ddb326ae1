import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, type Operator, operatorBy } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { startSignOn } from '../harness/sign-on.ts'
import { newVisitor, sessionCookie, signOn } from '../harness/visitor.ts'

const console = await startSignOn([
  ...['--sign-on-role', 'admins=operator', '--sign-on-role', 'acme-*=viewer:1'],
  ...['--sign-on-role', 'acme-admins=administrator:1'],
])
const { provider, origin, operator, deployment } = console
const { id: acme } = await operator.post('/organizations', { name: 'Acme' })
assert.equal(acme, 1, 'the organization of the rules')

let people = 0
/** A person whom nobody knows yet, as the provider describes it. */
const stranger = (groups?: string[]) => {
  people += 1
  const email = `Person${people}@Example.com`
  const named = { sub: `person ${people}`, name: `Person ${people}`, email, email_verified: true }
  return groups === undefined ? named : { ...named, groups }
}

/** Signs a person on with a new browser, and fails if that leads back. */
async function signedOn(person: Json): Promise<Operator> {
  provider.person = person
  const visitor = newVisitor()
  assert.equal(await signOn(visitor, origin, '/audit'), '/audit')
  return operatorBy(() => origin, { cookie: sessionCookie(visitor) })
}

/** Where a sign-on leads. */
async function landed(person: Json): Promise<string> {
  provider.person = person
  return signOn(newVisitor(), origin, '/audit')
}

const rolesOf = async (person: Operator) =>
  (await person.get('/session')).roles.map((each: Json) => [
    each.role,
    each.organization,
    each.is_from_sign_on,
  ])

describe('Somebody who signs on', () => {
  it('gets an account with the roles of the groups, and may do what they allow', async () => {
    const viewer = await signedOn(stranger(['acme-drivers']))
    assert.deepEqual(await rolesOf(viewer), [['viewer', acme, true]])
    assert.equal((await viewer.get(`/organizations/${acme}`)).name, 'Acme')
    assertError(await viewer.ask('GET', `/organizations/${acme}/keys`), 403, 'beyond_role')
    const { items } = await operator.get('/people')
    const { name, email, is_linked, has_password } = items.at(-1)
    assert.deepEqual(
      { name, email, is_linked, has_password },
      {
        ...{ name: `Person ${people}`, email: `person${people}@example.com` },
        ...{ is_linked: true, has_password: false },
      },
    )
  })

  it('is refused without a role, and finds the reason on the page', async () => {
    assert.equal(await landed(stranger()), '/?sign_on=no_account')
    assert.equal(await landed(stranger([])), '/?sign_on=no_account')
    assert.equal(await landed(stranger(['others'])), '/?sign_on=no_account')
    const refused = console.server.log.filter(({ failure }) => failure === 'no_account')
    assert.deepEqual(
      refused.map(({ issuer, subject, why }) => [issuer, subject, why]),
      [people - 2, people - 1, people].map((number) => [
        ...[provider.issuer, `person ${number}`],
        'there is no account, no invitation and no role',
      ]),
    )
  })

  it('accepts an invitation for the address that the provider has verified', async () => {
    const invited = stranger()
    const at = `/organizations/${acme}/invitations`
    await operator.post(at, { email: invited.email, role: 'viewer' })
    const unverified = { ...invited, sub: 'another', email_verified: false }
    assert.equal(await landed(unverified), '/?sign_on=unverified')
    assert.deepEqual(await rolesOf(await signedOn(invited)), [['viewer', acme, false]])
    assert.deepEqual((await operator.get(at)).items, [])
    assert.equal(await landed({ ...invited, sub: 'another' }), '/?sign_on=no_account')
  })

  it('has no verified address because the provider verified another one', async (t) => {
    t.after(() => {
      provider.shift = (claims) => claims
    })
    const { email, ...claims } = stranger(['acme-drivers'])
    // The ID token has no groups, so the user-info endpoint is asked, which says the other address.
    provider.shift = ({ email_verified, groups, ...given }) => ({ ...given, email })
    assert.equal(await landed({ ...claims, email: 'own@example.com' }), '/?sign_on=unverified')
    assert.equal(await landed({ ...claims, email }), '/audit')
  })
})

describe('Another role', () => {
  it('follows from other groups, also in sessions that are open', async () => {
    const person = stranger(['acme-drivers', 'acme-admins'])
    const first = await signedOn(person)
    assert.deepEqual(await rolesOf(first), [['administrator', acme, true]])
    const second = await signedOn({ ...person, groups: ['admins'] })
    assert.deepEqual(await rolesOf(second), [['operator', null, true]])
    assert.deepEqual(await rolesOf(first), [['operator', null, true]])
  })

  it('does not follow if the provider sends no groups', async () => {
    const { groups, ...person } = { ...stranger(), groups: ['acme-drivers'] }
    await signedOn({ ...person, groups })
    assert.deepEqual(await rolesOf(await signedOn(person)), [['viewer', acme, true]])
  })

  it('ends once the groups are gone; one that was given by hand stays', async () => {
    const person = stranger(['admins'])
    const session = await signedOn(person)
    const { account } = await session.get('/session')
    assert.equal(await landed({ ...person, groups: [] }), '/?sign_on=no_role')
    assertError(await session.ask('GET', '/organizations'), 403, 'beyond_role')
    await operator.patch(`/people/${account.id}`, { role: 'support' })
    assert.deepEqual(await rolesOf(await signedOn({ ...person, groups: [] })), [
      ['support', null, false],
    ])
  })
})

it('An administrator sets no password of somebody who signs on, and an operator may', async () => {
  const admin = await signedOn(stranger(['acme-admins']))
  const viewer = await signedOn(stranger(['acme-drivers']))
  const { id } = (await viewer.get('/session')).account
  const reset = await admin.ask('POST', `/organizations/${acme}/people/${id}/reset`)
  assertError(reset, 403, 'is_linked')
  await operator.post(`/people/${id}/reset`)
  const { stdout } = await runHere(['people', 'reset', String(id), ...deployment.args])
  assert.match(
    stdout,
    /The person can still use single sign-on.* 'fleetgate people unlink person\d+@/,
  )
})

describe('A disabled account', () => {
  it('ends its sessions at once, and opens none', async () => {
    const person = stranger(['admins'])
    const session = await signedOn(person)
    const { account } = await session.get('/session')
    await operator.patch(`/people/${account.id}`, { is_disabled: true })
    assertError(await session.ask('GET', '/organizations'), 401, 'signed_out')
    assert.equal(await landed(person), '/?sign_on=disabled')
    await operator.patch(`/people/${account.id}`, { is_disabled: false })
    await signedOn(person)
  })
})

it('The audit log names the person, and the roles that single sign-on gave and took', async () => {
  const person = stranger(['acme-drivers'])
  await signedOn(person)
  const session = await signedOn({ ...person, groups: ['acme-admins'] })
  const { account } = await session.get('/session')
  const { items } = await operator.get('/audit?limit=5')
  const actor = `person ${account.id} ${person.name} <${account.email}>`
  const roles = ['viewer (single sign-on)', 'administrator (single sign-on)']
  assert.deepEqual(
    items.map((each: Json) => [each.action, each.actor, each.target, each.changes?.role]),
    [
      ['session.sign_in', actor, account.id, undefined],
      ['person.set_role', 'single sign-on', account.id, { from: roles[0], to: roles[1] }],
      ['session.sign_in', actor, account.id, undefined],
      ['person.set_role', 'single sign-on', account.id, { from: null, to: roles[0] }],
      ['person.create', 'single sign-on', account.id, undefined],
    ],
  )
})

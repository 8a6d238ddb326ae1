import assert from 'node:assert/strict'
import { it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import {
  ask,
  assertError,
  EMAIL,
  operatorBy,
  PASSWORD,
  secretOf,
  useLink,
} from '../harness/admin.ts'
import { startSignOn } from '../harness/sign-on.ts'
import { newVisitor, sessionCookie, signOn } from '../harness/visitor.ts'

const args = ['--sign-on-role', 'admins=operator', '--sign-on-only', '--sign-on-invited-only']
const { provider, origin, operator, deployment } = await startSignOn(args)
const headers = { origin }

it('Without passwords, neither a password nor the link of a person opens a session', async () => {
  const { sign_on, takes_passwords } = await operator.get('/session')
  assert.deepEqual([sign_on, takes_passwords], ['Fleet ID', false])
  const body = { email: EMAIL, password: PASSWORD }
  const refused = await ask(origin, 'POST', '/session', { headers, body })
  assertError(refused, 403, 'single_sign_on_only')
  const invitation = { email: 'bob@example.com', role: 'support' }
  const { secret } = await operator.post('/invitations', invitation)
  const link = { token: secret, name: 'Bob', password: PASSWORD }
  const setUp = await ask(origin, 'POST', '/setup', { headers, body: link })
  assertError(setUp, 403, 'single_sign_on_only')
})

it('Invited people sign on without it, and others do not, whatever their groups', async () => {
  provider.person = { sub: 'bob', email: 'bob@example.com', email_verified: true, groups: [] }
  const visitor = newVisitor()
  assert.equal(await signOn(visitor, origin), '/')
  const bob = operatorBy(() => origin, { cookie: sessionCookie(visitor) })
  assert.equal((await bob.get('/session')).account.name, 'bob@example.com')
  provider.person = {
    sub: 'eve',
    email: 'eve@example.com',
    email_verified: true,
    groups: ['admins'],
  }
  assert.equal(await signOn(newVisitor(), origin), '/?sign_on=no_account')
})

it('A link of the command line opens a session, so that nobody is locked out', async () => {
  const { link } = await jsonHere(['people', 'reset', EMAIL, ...deployment.args])
  const body = { token: secretOf(link), password: 'another long password' }
  const answer = await ask(origin, 'POST', '/setup', { headers, body })
  assert.equal(answer.status, 204, answer.text)
  const invited = ['people', 'invite', 'new@example.com', '--role', 'operator']
  const invitation = await jsonHere([...invited, ...deployment.args])
  const cookie = await useLink(origin, secretOf(invitation.link), { name: 'New' })
  const { account, roles } = await operatorBy(() => origin, { cookie }).get('/session')
  assert.equal(account.email, 'new@example.com')
  assert.equal(roles[0].role, 'operator')
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ask } from '../harness/admin.ts'
import { stopClock } from '../harness/clock.ts'
import { ANN, startSignOn } from '../harness/sign-on.ts'
import { landing, newVisitor, signOn, toCallback } from '../harness/visitor.ts'

const pass = stopClock()
const { provider, origin } = await startSignOn(['--sign-on-role', 'admins=operator'])
provider.person = ANN

/** Sends a code that the provider did not give, from an address. Returns the reason of the refusal. */
async function forged(localAddress: string): Promise<string> {
  const { status, headers } = await ask(origin, 'GET', '/sign-on/start')
  assert.equal(status, 303)
  const state = new URL(headers.location!).searchParams.get('state')
  const cookie = headers['set-cookie']![0]!.split(';')[0]!
  const path = `/sign-on/callback?code=forged&state=${state}&iss=${encodeURIComponent(provider.issuer)}`
  const answer = await ask(origin, 'GET', path, { headers: { cookie }, localAddress })
  return landing(answer).replace('/?sign_on=', '')
}

it('A network whose sign-ons fail waits longer and longer, and no other network does', async () => {
  for (let i = 0; i < 20; i++) assert.equal(await forged(`127.0.5.${i + 1}`), 'not_verified')
  const asked = provider.asked.length
  assert.equal(await forged('127.0.5.40'), 'busy')
  assert.equal(provider.asked.length, asked, 'the provider is not asked')
  assert.equal(await signOn(newVisitor(), origin), '/')
  pass(1_000)
  assert.equal(await forged('127.0.5.1'), 'not_verified')
  pass(1_000)
  assert.equal(await forged('127.0.5.1'), 'busy')
})

it('A sign-on that the provider confirms ends the pause of its network', async () => {
  for (let i = 0; i < 20; i++) assert.equal(await forged('127.0.0.1'), 'not_verified')
  const visitor = newVisitor()
  const callback = await toCallback(visitor, origin)
  assert.equal(landing(await visitor.get(callback)), '/?sign_on=busy')
  pass(1_000)
  assert.equal(await signOn(visitor, origin), '/')
  assert.equal(await forged('127.0.0.1'), 'not_verified')
})

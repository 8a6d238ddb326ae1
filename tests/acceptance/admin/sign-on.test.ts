import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operatorBy } from '../harness/admin.ts'
import { HANDED } from '../harness/clock.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { CLIENT } from '../harness/provider.ts'
import { serveHere } from '../harness/server-here.ts'
import { ANN, signOnArgs, startSignOn } from '../harness/sign-on.ts'
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
const { start, callback: callbackUrl, end } = signOnAt(origin)
provider.person = ANN

const LONG = { skip: isEmbedded ? false : 'a Redis has a clock of its own' }

const sessionOf = async (visitor: Visitor) =>
  (await visitor.get(`${origin}/admin/v1/session`)).json.state
const cookieNamed = ({ cookies }: Visitor, name: string) =>
  [...cookies].find(([key]) => key.endsWith(` ${name}`))

describe('Sign-on', () => {
  it('goes to the provider with what makes the answer belong to this browser alone', async () => {
    const pages = []
    for (let i = 0; i < 2; i++) {
      const answer = await newVisitor().get(start)
      assert.equal(answer.headers['referrer-policy'], 'no-referrer')
      const [flow = ''] = answer.headers['set-cookie']!
      assert.match(flow, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
      pages.push(new URL(landing(answer)))
    }
    const [one, two] = pages.map(({ searchParams }) => Object.fromEntries(searchParams))
    assert.equal(pages[0]!.origin, provider.issuer)
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.match(one![name]!, /^[\w-]{43}$/)
      assert.notEqual(one![name], two![name])
    }
    const { state, nonce, code_challenge, ...rest } = one!
    assert.deepEqual(rest, {
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: callbackUrl,
      scope: 'openid profile email groups',
      code_challenge_method: 'S256',
    })
  })

  it('opens a session of 12 hours, and leads to the page that was asked for', async () => {
    const visitor = newVisitor()
    assert.equal(
      await signOn(visitor, origin, '/organizations/7/map?x=1'),
      '/organizations/7/map?x=1',
    )
    assert.equal(await sessionOf(visitor), 'signed_in')
    assert.equal(cookieNamed(visitor, 'fleetgate_sign_on'), undefined)
    assert.equal(await signOn(newVisitor(), origin, '//evil.example'), '/')
  })

  it('takes the claims from the user-info endpoint if the ID token lacks them', async () => {
    provider.isThick = false
    assert.equal(await signOn(newVisitor(), origin, '/audit'), '/audit')
    provider.isThick = true
  })

  it('ends at the provider too, which then asks again', async () => {
    const visitor = newVisitor()
    await signOn(visitor, origin)
    const cookie = `fleetgate_session=${cookieNamed(visitor, 'fleetgate_session')![1]}`
    const operator = operatorBy(() => origin, { cookie })
    await operator.delete('/session')
    assert.equal(await sessionOf(visitor), 'signed_out')
    const page = new URL(landing(await visitor.get(end)))
    assert.equal(page.origin, provider.issuer)
    assert.equal(page.searchParams.get('post_logout_redirect_uri'), `${origin}/`)
    assert.ok(page.searchParams.get('id_token_hint'))
    const { text } = await visitor.get(page.href)
    const [, action, xsrf] = /action="([^"]+)".* name="xsrf" value="([^"]+)"/.exec(text)!
    const ended = await visitor.submit(action!, { xsrf: xsrf!, logout: 'yes' })
    assert.equal(landing(ended), `${origin}/`)
    provider.person = null
    assert.equal(await signOn(visitor, origin), '/?sign_on=cancelled')
    provider.person = ANN
    // Without a sign-on that could end there, the page leads home.
    assert.equal(landing(await visitor.get(end)), '/')
  })

  it('ends after 12 hours', LONG, async () => {
    const visitor = newVisitor()
    await signOn(visitor, origin)
    await HANDED.pass(12 * 3_600_000 - 60_000)
    assert.equal(await sessionOf(visitor), 'signed_in')
    await HANDED.pass(60_000)
    assert.equal(await sessionOf(visitor), 'signed_out')
    assert.equal(await signOn(visitor, origin), '/')
  })
})

describe('The answer of the provider', () => {
  it('opens one session: neither its code nor its state is taken twice', async () => {
    const visitor = newVisitor()
    const page = landing(await visitor.get(start))
    const callback = await visitor.follow(page, callbackUrl)
    const [key, flow] = cookieNamed(visitor, 'fleetgate_sign_on')!
    assert.equal(landing(await visitor.get(callback)), '/')
    assert.equal(landing(await visitor.get(callback)), '/?sign_on=expired')
    visitor.cookies.set(key, flow)
    assert.equal(landing(await visitor.get(callback)), '/?sign_on=not_verified', 'the code')
    // The same question again has another code, with the same state, nonce and challenge.
    const another = await visitor.follow(page, callbackUrl)
    assert.notEqual(another, callback)
    assert.equal(landing(await visitor.get(another)), '/?sign_on=expired', 'the state')
  })

  it('is taken from the browser that began, and not from another', async () => {
    const [mine, other] = [newVisitor(), newVisitor()]
    const callback = await toCallback(mine, origin)
    await toCallback(other, origin)
    assert.equal(landing(await newVisitor().get(callback)), '/?sign_on=expired')
    assert.equal(landing(await other.get(callback)), '/?sign_on=expired')
    // The refused answer of another has not ended the sign-in of this browser.
    assert.ok(cookieNamed(other, 'fleetgate_sign_on'))
    assert.equal(landing(await mine.get(callback)), '/')
  })

  it('is taken for ten minutes', LONG, async () => {
    const [soon, late] = [newVisitor(), newVisitor()]
    const [inTime, tooLate] = [await toCallback(soon, origin), await toCallback(late, origin)]
    await HANDED.pass(9.5 * 60_000)
    assert.equal(landing(await soon.get(inTime)), '/')
    await HANDED.pass(60_000)
    assert.equal(landing(await late.get(tooLate)), '/?sign_on=expired')
  })

  it('is refused with a cookie that was changed', async () => {
    const visitor = newVisitor()
    const callback = await toCallback(visitor, origin)
    const [key, value] = cookieNamed(visitor, 'fleetgate_sign_on')!
    const at = value.length >> 1
    const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)
    for (const wrong of [changed, value.slice(4), '', 'x', '%']) {
      visitor.cookies.set(key, wrong)
      assert.equal(landing(await visitor.get(callback)), '/?sign_on=expired', wrong)
    }
    // Another server on this host may have set one of the same name.
    visitor.cookies.set(key, `x; fleetgate_sign_on=${value}`)
    assert.equal(landing(await visitor.get(callback)), '/')
  })

  it('is an error if the person gave up there', async () => {
    provider.person = null
    const visitor = newVisitor()
    const answer = await visitor.get(await toCallback(visitor, origin, '/audit'))
    assert.equal(landing(answer), '/?sign_on=cancelled')
    assert.equal(await sessionOf(visitor), 'signed_out')
    provider.person = ANN
  })

  it('is finished by another process than the one that began', async () => {
    const deployment = await newDeployment()
    const args = ['--geocoder', 'off', ...signOnArgs(provider), '--sign-on-role', 'admins=operator']
    const one = await serveHere(deployment, args)
    provider.register(one.admin)
    const visitor = newVisitor()
    const callback = await toCallback(visitor, one.admin)
    await one.stop()
    const two = await serveHere(deployment, [...args, '--admin-port', new URL(one.admin).port])
    assert.equal(landing(await visitor.get(callback)), '/')
    await two.stop()
    provider.register(origin)
  })
})

it('A server without a provider has no sign-on', async () => {
  const server = await serveHere(await newDeployment(), ['--geocoder', 'off'])
  const at = signOnAt(server.admin)
  for (const page of [at.start, at.callback]) {
    assert.equal(landing(await newVisitor().get(page)), '/?sign_on=unavailable')
  }
  assert.equal(landing(await newVisitor().get(at.end)), '/')
  await server.stop()
})

it('The log says who tried to sign on and why it failed, and holds no code, token or secret', async () => {
  const visitor = newVisitor()
  const callback = await toCallback(visitor, origin)
  const code = new URL(callback).searchParams.get('code')!
  const session = cookieNamed(visitor, 'fleetgate_sign_on')![1]
  const before = console.server.log.length
  await visitor.get(callback)
  visitor.cookies.set(`${origin} / fleetgate_sign_on`, session)
  await visitor.get(callback)
  const lines = console.server.log.slice(before).filter(({ msg }) => msg === 'sign-in attempt')
  assert.deepEqual(
    lines.map(({ attempt, outcome, failure, why }) => ({ attempt, outcome, failure, why })),
    [
      { attempt: 'sign_on', outcome: 'succeeded', failure: undefined, why: undefined },
      {
        ...{ attempt: 'sign_on', outcome: 'failed', failure: 'not_verified' },
        why: 'the provider answered invalid_grant',
      },
    ],
  )
  const log = JSON.stringify(console.server.log)
  for (const secret of [code, session, CLIENT.secret]) assert.ok(!log.includes(secret))
})

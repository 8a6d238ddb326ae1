import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, describe, it } from 'node:test'
import { ask, EMAIL, PASSWORD } from '../harness/admin.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'
import { ANN, startSignOn } from '../harness/sign-on.ts'
import { landing, newVisitor, signOn, signOnAt, toCallback } from '../harness/visitor.ts'

const METADATA = '/.well-known/openid-configuration'
const { provider, origin } = await startSignOn(['--sign-on-role', 'admins=operator'])
provider.person = ANN
afterEach(() => {
  provider.down.clear()
  provider.isThick = true
})

describe('A provider that is down', () => {
  it('is not asked before somebody signs in, and does not keep the password out', async () => {
    assert.deepEqual(provider.asked, [])
    provider.down.add(METADATA)
    const visitor = newVisitor()
    assert.equal(landing(await visitor.get(signOnAt(origin).start)), '/?sign_on=unavailable')
    const body = { email: EMAIL, password: PASSWORD }
    const { status } = await ask(origin, 'POST', '/session', { headers: { origin }, body })
    assert.equal(status, 204)
  })

  // Its keys are asked for once, so they come first.
  for (const path of ['/jwks', '/token', '/me']) {
    it(`may go down in the middle: ${path}`, async () => {
      provider.isThick = false
      const visitor = newVisitor()
      const callback = await toCallback(visitor, origin)
      provider.down.add(path)
      assert.equal(landing(await visitor.get(callback)), '/?sign_on=unavailable')
      provider.down.clear()
      assert.equal(await signOn(visitor, origin), '/')
    })
  }

  it('is asked again as soon as it is up', async () => {
    assert.equal(await signOn(newVisitor(), origin), '/')
    const before = provider.asked.filter((path) => path === METADATA).length
    assert.equal(await signOn(newVisitor(), origin), '/')
    assert.equal(provider.asked.filter((path) => path === METADATA).length, before)
  })
})

describe('A provider that answers nonsense', async () => {
  /** Answers of a server that is no provider. */
  let answer: { status?: number; body: string } = { body: '' }
  const other = createServer((_, response) => {
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(answer.body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const options = ['--sign-on-issuer', issuer, '--sign-on-client', 'x', '--geocoder', 'off']
  const server = await serveHere(await newDeployment(), options)
  after(async () => {
    await server.stop()
    other.close()
  })
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  }

  const ANSWERS: Record<string, typeof answer> = {
    'no JSON': { body: '<html>' },
    'an error': { status: 404, body: '{}' },
    'a failure': { status: 503, body: JSON.stringify(metadata) },
    'a redirect': { status: 302, body: JSON.stringify(metadata) },
    'metadata without an issuer': { body: '{}' },
    'metadata of another issuer': {
      body: JSON.stringify({ ...metadata, issuer: 'https://evil.example' }),
    },
    'metadata of any tenant': {
      body: JSON.stringify({ ...metadata, issuer: `${issuer}/{tenantid}` }),
    },
    'a page that could be read on its way': {
      body: JSON.stringify({ ...metadata, authorization_endpoint: 'http://id.example/auth' }),
    },
    'a page that is a script': {
      body: JSON.stringify({ ...metadata, authorization_endpoint: 'javascript:alert(1)' }),
    },
    'no keys': { body: JSON.stringify({ ...metadata, jwks_uri: undefined }) },
    'an endpoint that is no URL': { body: JSON.stringify({ ...metadata, token_endpoint: 'x' }) },
    'more than anybody reads': { body: JSON.stringify({ ...metadata, x: 'x'.repeat(1 << 20) }) },
  }
  for (const [what, given] of Object.entries(ANSWERS)) {
    it(`leads back to the sign-in: ${what}`, async () => {
      answer = given
      const answered = await newVisitor().get(signOnAt(server.admin).start)
      assert.equal(landing(answered), '/?sign_on=unavailable')
    })
  }

  it('is taken once it answers as a provider does', async () => {
    answer = { body: JSON.stringify(metadata) }
    const answered = await newVisitor().get(signOnAt(server.admin).start)
    assert.ok(landing(answered).startsWith(`${issuer}/auth?`))
  })
})

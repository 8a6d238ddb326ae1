import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { assertError, operatorBy, setUp } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'

const { jsonHere, runHere } = await commandLine()
const deployment = await newDeployment()
const server = await serveHere(deployment, ['--geocoder', 'off'])
after(() => server.stop())
await setUp(server)
const run = (...args: string[]) => runHere(['operator', ...args, ...deployment.args])
const json = (...args: string[]) => jsonHere(['operator', ...args, ...deployment.args])
const { id: organization } = await jsonHere(['org', 'create', 'Acme', ...deployment.args])
const org = ['--org', String(organization)]

const issue = (...more: string[]) => json('token', 'issue', '--name', 'Deploy', ...more)
const by = (token: string) => operatorBy(() => server.admin, { authorization: `Bearer ${token}` })

describe("'operator token'", () => {
  it('issues a token with a scope, and shows it once', async () => {
    const issued = await issue('--scope', 'organization', ...org, '--expires', '90d')
    assert.match(issued.token, /^fg_oper_\w{36}$/)
    assert.deepEqual(
      [issued.scope, issued.organization, issued.issuer],
      ['organization', organization, null],
    )
    await by(issued.token).get(`/organizations/${organization}`)
    assertError(await by(issued.token).ask('POST', '/organizations'), 403, 'beyond_scope')
    const { stdout } = await run('token', 'list')
    assert.match(stdout, /Deploy +fg_oper_\w{4}…\w{4} +organization +1 /)
    assert.ok(!stdout.includes(issued.token.slice(12, -4)))
  })

  it('names missing options and unknown ids', async () => {
    for (const [args, code, says] of [
      [['issue'], 2, /'--scope <scope>' not specified/],
      [['issue', '--scope', 'write'], 2, /one of read, organization, all/],
      [['issue', '--scope', 'organization'], 2, /organization must be given with the scope org/],
      [['issue', '--scope', 'all', ...org], 2, /organization must not be given with the scope all/],
      [['issue', '--scope', 'organization', '--org', '99'], 1, /there is no organization 99/],
      [['revoke', '99'], 1, /there is no operator token 99; 'fleetgate operator token list'/],
    ] as const) {
      const ended = await run('token', ...args)
      assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr)
      assert.match(ended.stderr, says)
    }
  })

  it('revokes a token and the tokens that it issued, at once in a running server', async () => {
    const { id, token } = await issue('--scope', 'all')
    const below = await by(token).post('/tokens', { name: 'below' })
    const ended: Json[] = await json('token', 'revoke', String(id))
    assert.deepEqual(
      ended.map((each) => each.id),
      [id, below.token.id],
    )
    assertError(await by(below.secret).ask('GET', '/server'), 401, 'signed_out')
  })
})

describe("'operator reset'", () => {
  it('asks for confirmation, and then lists the data that it keeps', async () => {
    await issue('--scope', 'all')
    const { tokens } = await credentials()
    const { code, stdout, stderr } = await run('reset')
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /ends all sessions/)
    assert.ok(stderr.includes(`It keeps ${tokens} operator tokens, which --tokens ends as well`))
    assert.match(stderr, /add --yes to do it/)
    assert.deepEqual(await credentials(), { tokens })
  })

  it('keeps tokens, keys and data, and says so', async () => {
    const { tokens } = await credentials()
    const { code, stdout } = await run('reset', '--yes')
    assert.equal(code, 0)
    assert.match(stdout, /The password and all sessions have ended\./)
    assert.match(stdout, /operator tokens, API keys, feed tokens and all data were kept\./)
    assert.match(stdout, /fleetgate operator reset --tokens/)
    const output = await json('reset', '--yes')
    assert.deepEqual([output.tokens_ended, output.tokens_kept], [0, tokens])
    assert.deepEqual(await credentials(), { tokens })
  })

  it('revokes tokens on request, and asks for confirmation even without a password', async () => {
    const { tokens } = await credentials()
    const asked = await run('reset', '--tokens')
    assert.deepEqual([asked.code, asked.stdout], [2, ''])
    assert.ok(asked.stderr.includes(`ends all sessions and ${tokens} operator tokens`))
    const output = await json('reset', '--yes', '--tokens')
    assert.deepEqual([output.tokens_ended, output.tokens_kept], [tokens, 0])
    assert.deepEqual(await credentials(), { tokens: 0 })
    const { stdout } = await run('reset', '--yes')
    assert.match(stdout, /There are no operator tokens\. API keys, feed tokens and all data were/)
  })
})

async function credentials() {
  return { tokens: (await json('token', 'list')).length as number }
}

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { assertError, EMAIL, operatorBy, secretOf, setUp, useLink } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'

const { jsonHere, runHere } = await commandLine()
const deployment = await newDeployment()
const server = await serveHere(deployment, ['--geocoder', 'off'])
after(() => server.stop())
await setUp(server)
const run = (...args: string[]) => runHere([...args, ...deployment.args])
const json = (...args: string[]) => jsonHere([...args, ...deployment.args])
const { id: organization } = await json('org', 'create', 'Acme')
const org = ['--org', String(organization)]

const issue = (...more: string[]) => json('token', 'issue', '--name', 'Deploy', ...more)
const by = (token: string) => operatorBy(() => server.admin, { authorization: `Bearer ${token}` })

type Wrong = readonly (readonly [args: string[], code: number, says: RegExp])[]

async function assertWrong(cases: Wrong): Promise<void> {
  for (const [args, code, says] of cases) {
    const ended = await run(...args)
    assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr)
    assert.match(ended.stderr, says)
  }
}

describe("'token'", () => {
  it('issues a token with a role, and shows it once', async () => {
    const issued = await issue('--role', 'administrator', ...org, '--expires', '90d')
    assert.match(issued.token, /^fg_oper_\w{36}$/)
    assert.deepEqual(
      [issued.role, issued.organization, issued.issuer, issued.issued_by],
      ['administrator', organization, null, null],
    )
    await by(issued.token).get(`/organizations/${organization}`)
    assertError(await by(issued.token).ask('POST', '/organizations'), 403, 'beyond_role')
    const { stdout } = await run('token', 'list')
    assert.match(stdout, /Deploy +fg_oper_\w{4}…\w{4} +administrator +1 /)
    assert.ok(!stdout.includes(issued.token.slice(12, -4)))
  })

  it('names missing options and unknown ids', async () => {
    await assertWrong([
      [['token', 'issue'], 2, /'--role <role>' not specified/],
      [['token', 'issue', '--role', 'write'], 2, /one of operator, support, administrator, viewer/],
      [['token', 'issue', '--role', 'viewer'], 2, /--role viewer requires --org/],
      [
        ['token', 'issue', '--role', 'support', ...org],
        2,
        /--role support applies to the whole deployment: omit --org/,
      ],
      [['token', 'issue', '--role', 'viewer', '--org', '99'], 1, /there is no organization 99/],
      [['token', 'revoke', '99'], 1, /there is no token 99; 'fleetgate token list'/],
    ])
  })

  it('revokes a token and the tokens that it issued, at once in a running server', async () => {
    const { id, token } = await issue('--role', 'operator')
    const below = await by(token).post('/tokens', { name: 'below', role: 'support' })
    const ended: Json[] = await json('token', 'revoke', String(id))
    assert.deepEqual(
      ended.map((each) => each.id),
      [id, below.token.id],
    )
    assertError(await by(below.secret).ask('GET', '/server'), 401, 'signed_out')
  })
})

describe("'people'", () => {
  const CONSOLE = ['--console-url', 'https://console.example.com']

  it('invites somebody by a link, lists the people, and changes their roles', async () => {
    const invited = await json(
      'people',
      'invite',
      'Bob@example.com',
      '--role',
      'viewer',
      ...org,
      ...CONSOLE,
    )
    assert.match(invited.link, /^https:\/\/console\.example\.com\/setup#fg_init_\w{36}$/)
    assert.deepEqual(
      [invited.email, invited.role, invited.organization],
      ['bob@example.com', 'viewer', organization],
    )
    const open: Json[] = await json('people', 'invitations')
    assert.deepEqual(
      open.map(({ id }) => id),
      [invited.id],
    )
    await useLink(server.admin, secretOf(invited.link))
    assert.deepEqual(await json('people', 'invitations'), [])
    const people: Json[] = await json('people', 'list')
    assert.deepEqual(
      people.map(({ email }) => email),
      [EMAIL, 'bob@example.com'],
    )
    assert.equal((await json('people', 'list', ...org)).length, 1)
    const raised = await json(
      'people',
      'roles',
      'BOB@example.com',
      '--role',
      'administrator',
      ...org,
    )
    assert.deepEqual(raised.roles, [
      { role: 'administrator', organization, is_from_sign_on: false },
    ])
    assert.deepEqual((await json('people', 'roles', '2', ...org, '--remove')).roles, [])
    const { stdout } = await run('people', 'list')
    assert.match(stdout, /ada@example\.com +Ada +operator +no /)
  })

  it('ends an invitation', async () => {
    const { id, link } = await json('people', 'invite', 'eve@example.com', '--role', 'support')
    assert.equal((await json('people', 'uninvite', String(id))).email, 'eve@example.com')
    const body = { token: secretOf(link) }
    const headers = { origin: server.admin }
    const asked = await operatorBy(() => server.admin, headers).ask('POST', '/link', { body })
    assertError(asked, 401, 'bad_token')
  })

  it('disables and enables, lists sessions and ends them, and makes a link for a new password', async () => {
    const invited = await json('people', 'invite', 'carl@example.com', '--role', 'support')
    const cookie = await useLink(server.admin, secretOf(invited.link))
    const carl = operatorBy(() => server.admin, { cookie })
    const sessions: Json[] = await json('people', 'sessions', 'carl@example.com')
    assert.equal(sessions.length, 1)
    await carl.get('/organizations')
    const end = String(sessions[0].id)
    assert.deepEqual(await json('people', 'sessions', 'carl@example.com', '--end', end), [])
    assertError(await carl.ask('GET', '/server'), 401, 'signed_out')
    assert.deepEqual(await json('people', 'sessions', EMAIL, '--end-all'), [])
    assert.notEqual((await json('people', 'disable', 'carl@example.com')).disabled_at, null)
    assert.match((await run('people', 'reset', 'carl@example.com')).stderr, /people enable carl/)
    assert.equal((await json('people', 'enable', 'carl@example.com')).disabled_at, null)
    const { stdout } = await run('people', 'reset', 'carl@example.com')
    assert.match(
      stdout,
      /works once, for 24 hours:\n\n {2}http:\/\/127\.0\.0\.1:\d+\/setup#fg_init_/,
    )
  })

  it('renames, unlinks and deletes', async () => {
    const { link } = await json('people', 'invite', 'dora@example.com', '--role', 'support')
    const dora = operatorBy(() => server.admin, {
      cookie: await useLink(server.admin, secretOf(link)),
    })
    assert.equal((await json('people', 'rename', 'dora@example.com', 'Dora D.')).name, 'Dora D.')
    assert.match((await run('people', 'unlink', 'dora@example.com')).stderr, /is not linked/)
    assert.equal((await json('people', 'delete', 'dora@example.com')).name, 'Dora D.')
    assertError(await dora.ask('GET', '/server'), 401, 'signed_out')
    assert.match((await run('people', 'delete', 'dora@example.com')).stderr, /there is no person/)
    assert.match((await run('people', 'delete', EMAIL)).stderr, /the last operator/)
  })

  it('shows and changes what holds for all people', async () => {
    assert.deepEqual(await json('people', 'settings'), { requires_totp: false })
    assert.deepEqual(await json('people', 'settings', '--requires-totp'), { requires_totp: true })
    assert.match((await run('people', 'settings')).stdout, /requires_totp +yes/)
    await json('people', 'settings', '--no-requires-totp')
  })

  it('names missing options, wrong values and unknown people', async () => {
    await assertWrong([
      [['people', 'invite', 'ada', '--role', 'support'], 2, /must be an e-mail address|it must be/],
      [['people', 'invite', 'x@example.com'], 2, /'--role <role>' not specified/],
      [
        ['people', 'invite', 'x@example.com', '--role', 'viewer'],
        2,
        /--role viewer requires --org/,
      ],
      [
        ['people', 'invite', 'x@example.com', '--role', 'viewer', '--org', '99'],
        1,
        /no organization 99/,
      ],
      [['people', 'roles', 'nobody@example.com'], 1, /there is no person nobody@example\.com/],
      [
        ['people', 'roles', EMAIL, '--role', 'support', '--remove'],
        2,
        /use one of --remove or --role/,
      ],
      [['people', 'disable', EMAIL], 1, /the last operator/],
      [['people', 'uninvite', '99'], 1, /there is no invitation 99/],
      [['people', 'sessions', EMAIL, '--end', '99'], 1, /no session 99/],
    ])
  })
})

describe('Commands that print an address', () => {
  const invite = (email: string, ...more: string[]) =>
    run('people', 'invite', email, '--role', 'support', ...more)

  it('print that of the server, and say if it is of this machine alone', async () => {
    const { stdout } = await invite('at@example.com')
    assert.ok(stdout.includes(`  ${server.admin}/setup#`), stdout)
    assert.match(stdout, /works on this machine only/)
    const token = (await run('routing', 'token', 'issue')).stdout
    assert.ok(token.includes(`${server.feed}/feed/v1/traccar<`), token)
    assert.match(token, /Replace http:\/\/127\.0\.0\.1:\d+ with/)
  })

  it('print those that a server says it has, until another one says otherwise', async () => {
    const place = ['--console-url', 'https://console.example.com', '--feed-url']
    const second = await newDeployment()
    const at = (...args: string[]) => runHere([...args, ...second.args])
    const serve = async (...more: string[]) => {
      const served = await serveHere(second, ['--geocoder', 'off', ...more])
      await served.stop()
      return served
    }
    await serve(...place, 'https://feed.example.com')
    const { stdout } = await at('people', 'invite', 'at@example.com', '--role', 'support')
    assert.match(stdout, /\n {2}https:\/\/console\.example\.com\/setup#/)
    assert.doesNotMatch(stdout, /this machine/)
    const token = (await at('routing', 'token', 'issue')).stdout
    assert.match(token, /Send positions with it:\n.*'>https:\/\/feed\.example\.com\/feed/s)
    const given = ['--console-url', 'https://other.example.com']
    const other = await at('people', 'invite', 'b@example.com', '--role', 'support', ...given)
    assert.match(other.stdout, /https:\/\/other\.example\.com\/setup#/)
    const { admin } = await serve()
    const again = await at('people', 'invite', 'c@example.com', '--role', 'support')
    assert.ok(again.stdout.includes(`${admin}/setup#`))
  })
})

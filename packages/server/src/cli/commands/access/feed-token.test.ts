import assert from 'node:assert/strict'
import { it } from 'node:test'
import { FEED_TOKEN, looksLike } from '../../../access/secret.ts'
import { json, temporaryFolder } from '../../processes/spawned.ts'
import { runHere } from '../../run-here.ts'

it('a feed token is issued, listed without being shown, rotated and revoked', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
  const issued = await json(['feed-token', 'issue', '--name', 'Traccar', ...org])
  assert.ok(looksLike(FEED_TOKEN, issued.token))
  assert.equal(issued.key, undefined)

  const rotated = await json(['feed-token', 'rotate', String(issued.id), '--overlap', '1h', ...org])
  assert.ok(looksLike(FEED_TOKEN, rotated.token) && rotated.token !== issued.token)
  assert.deepEqual([rotated.name, rotated.replaces.id], ['Traccar', issued.id])
  const revoked = await json(['feed-token', 'revoke', String(issued.id), ...org])
  assert.equal(revoked.state, 'revoked')

  const { stdout } = await runHere(['feed-token', 'list', ...org])
  assert.match(stdout, /^ID +NAME +TOKEN +STATE/)
  assert.match(stdout, new RegExp(`${issued.prefix}…${issued.last_four} +revoked`))
  assert.match(stdout, new RegExp(`${rotated.prefix}…${rotated.last_four} +active`))
  assert.ok(!stdout.includes(rotated.token.slice(12, -4)))
  assert.deepEqual(await json(['key', 'list', ...org]), [], 'a token is no key')

  const unknown = await runHere(['feed-token', 'revoke', '77', ...org])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /has no token 77; 'fleetgate feed-token list --org 1' shows/)
})

it('a feed token is shown to people once, with lines that use it', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const { stdout } = await runHere(['feed-token', 'issue', '--org', '1', ...data])
  const token = /^token +(\S+)$/m.exec(stdout)?.[1]
  assert.ok(token !== undefined && looksLike(FEED_TOKEN, token))
  assert.match(stdout, /Keep the token now: it is not shown again/)
  const row = /--json '(.*)' http:\/\/127\.0\.0\.1:7071\/feed\/v1\/positions\n/.exec(stdout)?.[1]
  assert.deepEqual(Object.keys(JSON.parse(row!)[0]), [
    'ident',
    'time_device',
    'latitude',
    'longitude',
  ])
  assert.ok(stdout.includes(`http://127.0.0.1:7071/feed/v1/${token}/osmand\n`))
  assert.ok(stdout.includes(`<entry key='forward.header'>x-feed-token: ${token}</entry>`))
})

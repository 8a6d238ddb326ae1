import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { FEED_TOKEN, looksLike } from '../../base/access/secret.ts'

it('a feed token is shown to people once, with lines that use it', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const { stdout } = await runHere(['feed-token', 'issue', '--org', '1', ...data])
  const token = /^token +(\S+)$/m.exec(stdout)?.[1]
  assert.ok(token !== undefined && looksLike(FEED_TOKEN, token))
  assert.match(stdout, /Save the token now: it will not be shown again/)
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

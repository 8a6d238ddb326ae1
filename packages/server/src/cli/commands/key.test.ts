import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { API_KEY, looksLike } from '../../access/secret.ts'
import { json, temporaryFolder } from '../processes/spawned.ts'
import { runHere } from '../run-here.ts'

it('a key is issued, listed without being shown, rotated and revoked', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]

  const issued = await json(['key', 'issue', '--name', 'Night report', '--expires', '90d', ...org])
  assert.ok(looksLike(API_KEY, issued.key))
  assert.equal(issued.name, 'Night report')
  assert.equal(
    Date.parse(issued.expires_at) - Date.parse(issued.created_at) > 89 * 86_400_000,
    true,
  )

  const rotated = await json(['key', 'rotate', String(issued.id), '--overlap', '2h', ...org])
  assert.ok(looksLike(API_KEY, rotated.key) && rotated.key !== issued.key)
  assert.equal(rotated.name, issued.name)
  assert.equal(rotated.replaces.id, issued.id)
  const until = Date.parse(rotated.replaces.expires_at) - Date.parse(rotated.created_at)
  assert.equal(until, 2 * 3_600_000)
  assert.ok(Date.parse(rotated.expires_at) > Date.parse(issued.expires_at), 'as long a life')

  const ended = await json(['key', 'rotate', String(rotated.id), '--overlap', '0s', ...org])
  const again = await runHere(['key', 'rotate', String(rotated.id), ...org])
  assert.equal(again.code, 1)
  assert.match(again.stderr, new RegExp(`key ${rotated.id} is expired; issue a new one`))

  const first = await json(['key', 'revoke', String(ended.id), ...org])
  assert.equal(first.state, 'revoked')
  const second = await json(['key', 'revoke', String(ended.id), ...org])
  assert.equal(second.revoked_at, first.revoked_at, 'the first moment remains')

  const list = await json(['key', 'list', ...org])
  assert.deepEqual(
    list.map((key: { state: string }) => key.state),
    ['active', 'expired', 'revoked'],
  )
  const table = await runHere(['key', 'list', ...org])
  assert.match(table.stdout, new RegExp(`${issued.prefix}…${issued.last_four}`))
  const database = await readFile(join(folder, 'fleetgate.db'), 'latin1')
  for (const { key } of [issued, rotated, ended]) {
    const secret = key.slice(12, -4)
    assert.ok(!JSON.stringify(list).includes(secret))
    assert.ok(!table.stdout.includes(secret))
    assert.ok(!database.includes(secret), 'the key itself is stored nowhere')
  }

  const other = await json(['org', 'create', 'B', ...data])
  const foreign = await runHere([
    'key',
    'revoke',
    String(issued.id),
    '--org',
    String(other.id),
    ...data,
  ])
  assert.equal(foreign.code, 1)
  assert.match(foreign.stderr, /organization 2 has no key 1/)
})

it('a key is shown to people once, with a word of warning', async (t) => {
  const data = ['--data', await temporaryFolder(t)]
  await json(['org', 'create', 'A', ...data])
  const { stdout } = await runHere(['key', 'issue', '--org', '1', ...data])
  assert.match(stdout, /key +fg_live_[0-9A-Za-z]{36}\n/)
  assert.match(stdout, /not shown again/)
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { API_KEY, FEED_TOKEN, looksLike } from '../../base/access/secret.ts'

for (const [name, noun, kind] of [
  ['key', 'key', API_KEY],
  ['feed-token', 'token', FEED_TOKEN],
] as const) {
  it(`a ${noun} is issued, listed without being shown, rotated and revoked`, async (t) => {
    const folder = await temporaryFolder(t)
    const data = ['--data', folder]
    const org = ['--org', String((await json(['org', 'create', 'A', ...data])).id), ...data]
    const named = ['--name', 'Night report', '--expires', '90d']
    const issued = await json([name, 'issue', ...named, ...org])
    assert.ok(looksLike(kind, issued[noun]))
    assert.equal(issued.name, 'Night report')
    assert.ok(Date.parse(issued.expires_at) - Date.parse(issued.created_at) > 89 * 86_400_000)

    const rotated = await json([name, 'rotate', String(issued.id), '--overlap', '2h', ...org])
    assert.ok(looksLike(kind, rotated[noun]) && rotated[noun] !== issued[noun])
    assert.deepEqual([rotated.name, rotated.replaces.id], [issued.name, issued.id])
    const until = Date.parse(rotated.replaces.expires_at) - Date.parse(rotated.created_at)
    assert.equal(until, 2 * 3_600_000)
    assert.ok(Date.parse(rotated.expires_at) > Date.parse(issued.expires_at), 'as long a life')

    const ended = await json([name, 'rotate', String(rotated.id), '--overlap', '0s', ...org])
    const again = await runHere([name, 'rotate', String(rotated.id), ...org])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /has expired or was revoked; issue a new one/)
    assert.equal((await json([name, 'revoke', String(ended.id), ...org])).state, 'revoked')

    const list: { state: string }[] = await json([name, 'list', ...org])
    assert.deepEqual(
      list.map(({ state }) => state),
      ['active', 'expired', 'revoked'],
    )
    const table = await runHere([name, 'list', ...org])
    assert.match(table.stdout, new RegExp(`^ID +NAME +${noun.toUpperCase()} +STATE`))
    assert.match(table.stdout, new RegExp(`${issued.prefix}…${issued.last_four} +active`))
    const database = await readFile(join(folder, 'fleetgate.db'), 'latin1')
    for (const { [noun]: shown } of [issued, rotated, ended]) {
      const secret = shown.slice(12, -4)
      assert.ok(!JSON.stringify(list).includes(secret))
      assert.ok(!table.stdout.includes(secret))
      assert.ok(!database.includes(secret), 'the secret itself is stored nowhere')
    }

    const { id: other } = await json(['org', 'create', 'B', ...data])
    const foreign = [String(issued.id), '--org', String(other), ...data]
    const { code, stderr } = await runHere([name, 'revoke', ...foreign])
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`organization 2 has no \\w+ \\w+ 1; 'fleetgate ${name} list`))
  })
}

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'

it('a backup of a folder that was never served is whole, and never written over content', async (t) => {
  const folder = await temporaryFolder(t)
  await json(['org', 'create', 'Acme', '--data', folder])
  const copy = join(folder, 'copy')
  const { organizations } = await json(['backup', copy, '--data', folder])
  assert.equal(organizations, 1)
  const { code, stdout, stderr } = await runHere(['backup', copy, '--data', folder])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /the backup to '.*' failed: .* is not empty/)
})

it("a backup of a database is left to PostgreSQL's tools", async (t) => {
  const copy = join(await temporaryFolder(t), 'copy')
  const database = ['--database', 'postgres://127.0.0.1:1/fleet']
  const { code, stderr } = await runHere(['backup', copy, ...database])
  assert.equal(code, 2)
  assert.match(stderr, /pg_dump/)
  assert.equal(existsSync(copy), false)
})

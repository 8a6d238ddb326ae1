import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openDatabase } from './database.ts'

describe('the first sync of a process', () => {
  it('leaves a log as it is that is on the disk', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
    const file = join(folder.path, 'rows.db')
    const [one, other] = [await openDatabase(file), await openDatabase(file)]
    await one.write(() => one.writer.exec('CREATE TABLE rows (id)'))
    const log = readFileSync(`${file}-wal`)
    await other.write(() => other.writer.exec('INSERT INTO rows VALUES (1)'))
    assert.deepEqual(readFileSync(`${file}-wal`).subarray(0, log.length), log)
    await other.close()
    await one.close()
  })

  it('ends the process where a part of the log is gone', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'lose-log.fixture.ts'), join(folder.path, 'rows.db')],
      { encoding: 'utf8' },
    )
    assert.equal(status, 7)
    assert.match(stderr, /^LogLost: The disk has lost a part of .*rows\.db-wal after a sync/)
  })
})

import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoreUnavailable } from '../store.ts'
import { openLogSync } from './log-sync.ts'

test('a log that cannot be synced is an outage, and is synced once it can be', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fleetgate-log-'))
  const file = join(folder.path, 'fleetgate.db-wal')
  const log = openLogSync(file)
  await assert.rejects(log.sync(), StoreUnavailable)
  await writeFile(file, 'frames')
  await log.sync()
  await log.close()
})

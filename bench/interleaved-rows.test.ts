import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { addDrive } from './drive.ts'
import { loadInterleaved } from './interleaved-rows.ts'
import { addTenants } from './tenants.ts'

const OBJECTS = 3
const ROWS = 300

it('loaded rows equal appended rows', async () => {
  using loaded = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  using appended = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  await loadInterleaved(loaded.path, OBJECTS, ROWS)
  const store = await openStore({ folder: appended.path })
  for (const tenant of await addTenants(store, OBJECTS)) await addDrive(store, tenant, ROWS)
  await store.close()
  assert.deepEqual(contentsOf(loaded.path), contentsOf(appended.path))
})

/** Without the changes feed, which counts a batch as one change. */
function contentsOf(folder: string) {
  using database = new DatabaseSync(join(folder, DATABASE_FILE))
  const all = (text: string) => database.prepare(text).all()
  return {
    positions: all(`
      SELECT organization, object, time_device, hidden IS NULL AS shown, fix, track
      FROM positions`),
    states: all('SELECT * FROM object_states'),
    changed: all('SELECT organization, topic FROM changes'),
  }
}

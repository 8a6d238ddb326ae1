import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { ALL_TIME, newObject, newOrganization } from '../contract/fixture.ts'
import { openDatabase } from './database.ts'
import { temporaryStore } from './temporary-store.ts'

const KILLS = 5
const BATCH = 200

describe('a process that is killed while it appends', () => {
  it('leaves all that was acknowledged, whole batches, and a sound database', async () => {
    const { folder, store, cleanUp } = await temporaryStore()
    try {
      await assertSynced(folder)
      const organization = await newOrganization(store)
      const object = await newObject(store, organization)
      let batches = 0
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const acknowledged = await appendUntilKilled(
          folder,
          organization,
          object,
          batches,
          kill * 7,
        )
        const rows = await store.positions.count(organization, object, ALL_TIME, 1_000_000)
        assert.equal(rows % BATCH, 0)
        assert.ok(rows >= (acknowledged + 1) * BATCH, `${acknowledged} of ${rows} rows`)
        const state = (await store.positions.states(organization)).get(object)
        assert.equal(state?.lastFix?.timeDevice, rows - 1)
        batches = rows / BATCH
      }
      await store.close()
      const database = new DatabaseSync(join(folder, 'fleetgate.db'))
      const check = database.prepare('PRAGMA integrity_check').all()
      database.close()
      assert.deepEqual(
        check.map((row) => row.integrity_check),
        ['ok'],
      )
    } finally {
      await cleanUp()
    }
  })
})

/** A kill cannot show whether the disk was asked at each commit; the connection can. */
async function assertSynced(folder: string): Promise<void> {
  const database = await openDatabase(join(folder, 'fleetgate.db'))
  const FULL = 2
  assert.equal(database.writer.prepare('PRAGMA synchronous').get()?.synchronous, FULL)
  await database.close()
}

/** The last batch it acknowledged. */
async function appendUntilKilled(
  folder: string,
  organization: number,
  object: number,
  first: number,
  batches: number,
): Promise<number> {
  const program = join(import.meta.dirname, 'append-until-killed.fixture.ts')
  const child = fork(program, [folder, `${organization}`, `${object}`, `${first}`])
  let last = -1
  child.on('message', (batch: number) => {
    last = batch
    if (batch >= first + batches) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
  return last
}

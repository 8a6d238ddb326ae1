import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { jsonHere, runHere } from '../../../testing/command-line/run-here.ts'
import { temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { append, fixAt, newFleet } from '../../../testing/store-contract/fixture.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import { DATABASE_FILE } from '../../data/sqlite/data-folder.ts'
import { forgetErased } from '../../work/forget-erased.ts'
import { openStore } from '../compose.ts'

/** A data folder with 10,000 positions of four days ago. */
async function filled(folder: string) {
  const store = await openStore({ folder })
  const { organization, object } = await newFleet(store)
  const first = Date.now() - 4 * DAY_MS
  const fixes = Array.from({ length: 10_000 }, (_, index) => fixAt(first + index * 10_000))
  await append(store, organization, object, fixes)
  return { store, organization, object, first }
}

describe('fleetgate shrink', () => {
  it('gives the room of packed positions back to the disk', async (t) => {
    const folder = await temporaryFolder(t)
    const { store } = await filled(folder)
    await store.close()
    const data = ['--data', folder]
    await jsonHere(['pack', ...data])
    const shrunk = await jsonHere(['shrink', ...data])
    const { size } = statSync(join(folder, DATABASE_FILE))
    assert.deepEqual([shrunk.bytes_after, shrunk.log, shrunk.skipped], [size, 'cleared', []])
    assert.ok(size < shrunk.bytes_before / 2, `${shrunk.bytes_before} to ${size} bytes`)
    const { positions, complete } = await jsonHere(['verify', ...data])
    assert.deepEqual([positions, complete], [10_000, true])
    const { stdout } = await runHere(['shrink', ...data])
    assert.match(stdout, /^Shrunk \d+\.\d MB to \d+\.\d MB in [\d.]+ s\n$/)
  })

  it('changes nothing while positions are being deleted', async (t) => {
    const folder = await temporaryFolder(t)
    const { store, organization, object, first } = await filled(folder)
    const range = { from: first, to: first + 60_000 }
    await store.positions.erase(organization, object, { ranges: [range] }, Date.now())
    const stopped = forgetErased(store, DAY_MS, AbortSignal.abort())
    await assert.rejects(stopped, /stopped before the end/)
    await store.close()
    const { code, stderr } = await runHere(['shrink', '--data', folder])
    assert.equal(code, 1)
    assert.match(stderr, /positions are still being deleted.*let a server run/)
  })

  it('names ranges that cannot be deleted and records that cannot be derived', async (t) => {
    const folder = await temporaryFolder(t)
    const { store, organization, object, first } = await filled(folder)
    const range = { from: first, to: first + 60_000 }
    await store.positions.erase(organization, object, { ranges: [range] }, Date.now())
    await store.close()
    {
      using database = new DatabaseSync(join(folder, DATABASE_FILE))
      database.exec("UPDATE erasures SET state = 'damaged'")
      const task = database.prepare(
        "INSERT INTO record_tasks VALUES (?, 'object', ?, 0, ?, 'a fault')",
      )
      task.run(organization, object, Date.now())
    }
    const { code, stdout, stderr } = await runHere(['shrink', '--data', folder])
    assert.equal(code, 1)
    assert.match(stdout, /^Shrunk /)
    assert.match(stderr, /object 1 of organization 1 has damaged ranges/)
    assert.match(stderr, /records of object 1 of organization 1 cannot be derived .*: a fault/)
  })

  it('makes no data folder', async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stderr } = await runHere(['shrink', '--data', join(folder, 'none')])
    assert.equal(code, 1)
    assert.match(stderr, /there is no Fleetgate data in/)
  })
})

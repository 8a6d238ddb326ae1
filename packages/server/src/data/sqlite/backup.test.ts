import assert from 'node:assert/strict'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { ALL_TIME, fixAt, newFleet } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { openSqliteStore } from './open.ts'

const ROWS = 120_000

describe('A backup', () => {
  it('has the data from its start despite writes during it, and opens as a data folder', async (t) => {
    const { folder, store, reopen } = await temporaryStore(t)
    const { organization, object, append, on } = await newFleet(store)
    const fixes = Array.from({ length: ROWS }, (_, index) => fixAt(index))
    await append(fixes)

    const target = join(folder, 'new')
    const other = await reopen()
    const writes: Promise<unknown>[] = []
    const steps: [number, number][] = []
    await store.backup(target, (done, total) => {
      steps.push([done, total])
      if (steps.length > 3) return
      writes.push(on(other).append([fixAt(ROWS + steps.length)]))
    })
    await Promise.all(writes)
    assert.ok(steps.length > 1, 'it takes more than one step')
    assert.equal(steps.at(-1)?.[0], steps.at(-1)?.[1])
    assert.deepEqual(
      steps.map(([done]) => done),
      steps.map(([done]) => done).sort((a, b) => a - b),
    )

    assert.deepEqual(await readdir(target), ['fleetgate.db'])
    assert.equal((await stat(join(target, 'fleetgate.db'))).mode & 0o777, 0o600)
    const database = new DatabaseSync(join(target, 'fleetgate.db'))
    const check = database.prepare('PRAGMA integrity_check').get()
    database.close()
    assert.equal(check?.integrity_check, 'ok')

    const copy = await openSqliteStore(target)
    assert.equal(await copy.positions.count(organization, object, ALL_TIME, 10 ** 9), ROWS)
    assert.ok((await copy.secret()).equals(await store.secret()))
    await copy.close()
  })

  it('gets its name only when it is complete', async (t) => {
    const { folder, store } = await temporaryStore(t)
    const target = join(folder, 'new')
    const failure = new Error('no room')
    const failing = store.backup(target, undefined, async () => {
      assert.deepEqual(await readdir(target), ['fleetgate.db.unfinished'])
      throw failure
    })
    await assert.rejects(failing, failure)
    assert.deepEqual(await readdir(target), [])
  })

  it('is not written into a folder with content', async (t) => {
    const { folder, store } = await temporaryStore(t)
    const target = join(folder, 'taken')
    await mkdir(target)
    await writeFile(join(target, 'note'), 'kept')
    await assert.rejects(store.backup(target), {
      message: `The backup folder ${target} is not empty: use an empty or a new one.`,
    })
    assert.deepEqual(await readdir(target), ['note'])
  })
})

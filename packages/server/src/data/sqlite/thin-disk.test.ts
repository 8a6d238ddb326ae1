import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import { makeThinVolume, type ThinVolume } from '../../../testing/thin-volume.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { type Database, openDatabase } from './database/database.ts'

/** Each row takes some pages, so that each write needs new blocks of the disk. */
const ROW_BYTES = 20_000

const scratch = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-thin-'))
let scenes = 0
const newVolume = () => makeThinVolume(join(scratch.path, String(scenes++)))
let volume = newVolume()
const skip = volume === undefined ? 'only root can mount a thin volume' : false
after(() => scratch.remove())

describe('Acknowledged rows on a thin volume with an exhausted pool', { skip }, () => {
  let thin: ThinVolume
  let file: string

  beforeEach(() => {
    thin = (volume ?? newVolume())!
    volume = undefined
    file = join(thin.folder, 'rows.db')
  })
  afterEach(() => thin.remove())

  async function openWithTable(): Promise<Database> {
    const database = await openDatabase(file)
    await database.write(() =>
      database.writer.exec('CREATE TABLE IF NOT EXISTS rows (id, filling)'),
    )
    return database
  }

  function insert({ writer }: Database, id: number): void {
    writer.prepare('INSERT INTO rows VALUES (?, zeroblob(?))').run(id, ROW_BYTES)
  }

  function add(database: Database, id: number): Promise<void> {
    return database.write(() => insert(database, id))
  }

  async function failToAdd(database: Database, id: number): Promise<void> {
    thin.exhaust()
    try {
      await assert.rejects(add(database, id), StoreUnavailable)
    } finally {
      thin.replenish()
    }
  }

  /** The ids in the database after a power cut, as a new process reads them. */
  function idsAfterPowerCut(): number[] {
    const database = new DatabaseSync(join(thin.powerCut(), 'rows.db'))
    const [check] = database.prepare('PRAGMA integrity_check').all()
    assert.equal(check?.integrity_check, 'ok')
    const ids = database.prepare('SELECT id FROM rows ORDER BY id').all()
    database.close()
    return ids.map(({ id }) => Number(id))
  }

  it('survive a power cut', async () => {
    const database = await openWithTable()
    await add(database, 1)
    await failToAdd(database, 2)
    await add(database, 3)
    assert.deepEqual(idsAfterPowerCut(), [1, 2, 3])
    await database.close()
  })

  it('survive a power cut if another process acknowledged them', async () => {
    const failed = await openWithTable()
    await failToAdd(failed, 1)
    const other = await openDatabase(file)
    await add(other, 2)
    assert.deepEqual(idsAfterPowerCut(), [1, 2])
    await other.close()
    await failed.close()
  })

  it('are in the database after it is closed', async () => {
    const database = await openWithTable()
    await add(database, 1)
    await failToAdd(database, 2)
    await database.close()
    assert.deepEqual(idsAfterPowerCut(), [1, 2])
  })

  it('remain in the log if the pool is still exhausted when the database is closed', async () => {
    const database = await openWithTable()
    await add(database, 1)
    thin.exhaust()
    await assert.rejects(add(database, 2), StoreUnavailable)
    await database.close()
    thin.replenish()
    assert.deepEqual(idsAfterPowerCut(), [1])
  })

  it('are acknowledged by a process that starts after an outage that no sync reported', async () => {
    const database = await openWithTable()
    thin.exhaust()
    await database.writeIfFree(() => insert(database, 1))
    // The kernel writes the pages, as it would some seconds later, and fails.
    spawnSync('sync', ['--file-system', thin.folder])
    thin.replenish()
    const next = await openDatabase(file)
    await add(next, 2)
    assert.deepEqual(idsAfterPowerCut(), [1, 2])
    await next.close()
    await database.close()
  })

  it('survive a failed checkpoint, after the next one', async () => {
    const database = await openWithTable()
    await add(database, 1)
    thin.exhaust()
    await database.close()
    thin.replenish()
    // The second log makes ext4 forget the first, which a power cut would otherwise bring back.
    for (const id of [2, 3]) {
      const next = await openDatabase(file)
      await add(next, id)
      await next.close()
      assert.equal(existsSync(`${file}-wal`), false)
    }
    assert.deepEqual(idsAfterPowerCut(), [1, 2, 3])
  })

  it('survive if the end of a rolled-back transaction did not reach the disk', async () => {
    const database = await openWithTable()
    await add(database, 1)
    // A small cache makes SQLite write to the log before the transaction ends.
    database.writer.exec('PRAGMA cache_size = 1')
    const takeBack = (rows: number) =>
      database.write(() => {
        for (let row = 0; row < rows; row += 1) insert(database, 0)
        throw new Error('taken back')
      })
    await assert.rejects(takeBack(5), /taken back/)
    thin.exhaust()
    await assert.rejects(takeBack(20), StoreUnavailable)
    thin.replenish()
    const ids = Array.from({ length: 10 }, (_, i) => i + 2)
    for (const id of ids) await add(database, id)
    assert.deepEqual(idsAfterPowerCut(), [1, ...ids])
    await database.close()
  })
})

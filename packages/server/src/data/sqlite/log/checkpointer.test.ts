import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { openDatabase } from '../database/database.ts'
import { openCheckpointer } from './checkpointer.ts'

const PAGE = 4096

describe('The write-ahead log', () => {
  it('blocks no writer if the checkpointing thread cannot start', async (t) => {
    const { folder, inspect } = await temporaryStore(t)
    const writer = inspect()
    const nowhere = join(folder, 'nowhere', 'fleetgate.db')
    const checkpointer = openCheckpointer(nowhere, writer, async () => {})
    writer.exec('CREATE TABLE pages (id INTEGER, data BLOB)')
    const insert = writer.prepare('INSERT INTO pages VALUES (?, zeroblob(1000000))')
    let waited = 0
    for (let id = 0; id < 80; id += 1) {
      const room = checkpointer.makeRoom()
      if (room !== undefined) waited += 1
      await room
      insert.run(id)
      checkpointer.committed()
    }
    assert.equal(waited, 1, 'then on again for as long as before')
    await checkpointer.stop()
  })

  it('is checkpointed during writes, and never grows far beyond its limit', async (t) => {
    const { file } = await temporaryStore(t)
    const database = await openDatabase(file)
    t.after(() => database.close())
    await database.write(() => database.writer.exec('CREATE TABLE pages (id INTEGER, data BLOB)'))
    const insert = database.writer.prepare('INSERT INTO pages VALUES (?, zeroblob(1000000))')
    // Each takes some 245 pages of log: 120 MB in total.
    for (let id = 0; id < 120; id += 1) await database.write(() => insert.run(id))
    const { size } = await stat(`${file}-wal`)
    assert.ok(size < 17_000 * PAGE, `${size} bytes`)
    assert.equal(database.reader.prepare('SELECT count(*) AS n FROM pages').get()?.n, 120)
  })
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { type CopiedTable, ORGANIZATION_TABLES } from '../copy/copy-port.ts'
import { tupleWriter } from '../copy/tuples.ts'
import { openSqliteTarget } from './copy.ts'
import { UNFINISHED_COPY } from './data-folder.ts'

const ORGANIZATION = 7
const CHANGES = 250_000
const NO_QUOTA = { read: () => [], write() {} }

it('A folder takes a change log as it is read, without a limit of its size', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-copy-'))
  t.after(() => rm(folder, { recursive: true }))
  const target = await openSqliteTarget(folder, Buffer.alloc(32), NO_QUOTA)
  t.after(() => target.close())
  const log = ORGANIZATION_TABLES.find(({ name }) => name === 'change_log')!
  let written = 0

  function writtenNow(): number {
    using database = new DatabaseSync(join(folder, UNFINISHED_COPY), { readOnly: true })
    return database.prepare('SELECT count(*) AS rows FROM change_log').get()!.rows as number
  }

  async function* changes(table: CopiedTable): AsyncGenerator<Buffer> {
    if (table.name !== log.name) return
    const writer = tupleWriter(table)
    for (let seq = 1; seq <= CHANGES; seq += 1) {
      writer.add([ORGANIZATION, seq, seq, Buffer.alloc(10)])
      if (writer.isFull()) yield writer.take()
    }
    yield writer.take()
    written = writtenNow()
  }

  for (let pass = 1; pass <= 2; pass += 1) {
    written = 0
    await target.replace(ORGANIZATION, changes)
    assert.ok(written > CHANGES / 2, `${written} rows were written before the last was read`)
    assert.equal(writtenNow(), CHANGES)
  }
})

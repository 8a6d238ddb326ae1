import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { valuesOf } from '../../../../testing/values-of.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { openDatabase } from '../database/database.ts'

const LOG_LOST = /^LogLost: The disk has lost a part of .*rows\.db-wal after a sync/
const LOST: [part: string, statement: string][] = [
  ['a row', 'INSERT INTO rows VALUES (1)'],
  ['the first page of the database', 'CREATE TABLE more (id)'],
]

function loseLog(statement: string, writesOn: 'one' | 'other') {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
  const program = join(import.meta.dirname, 'lose-log.fixture.ts')
  const args = [program, join(folder.path, 'rows.db'), statement, writesOn]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

describe('The first sync of a process', () => {
  it('keeps a log that is on disk', async () => {
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

  for (const [part, statement] of LOST) {
    it(`ends the process if ${part} is gone from the log`, () => {
      const { status, stderr } = loseLog(statement, 'other')
      assert.equal(status, 7)
      assert.match(stderr, LOG_LOST)
    })
  }
})

describe('A process with successful syncs', () => {
  it('ends if the first page of the database is gone from the log', () => {
    const { status, stderr } = loseLog('CREATE TABLE more (id)', 'one')
    assert.equal(status, 7)
    assert.match(stderr, LOG_LOST)
  })
})

describe('A commit that readers can see', () => {
  it('is synced if another process committed it, once', async (context) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
    const file = join(folder.path, 'rows.db')
    const [one, other] = [await openDatabase(file), await openDatabase(file)]
    await one.write(() => one.writer.exec('CREATE TABLE rows (id)'))
    await one.synced()
    const datasync = context.mock.method(await fileHandles(), 'datasync')
    await one.write(() => one.writer.exec('INSERT INTO rows VALUES (1)'))
    await one.synced()
    assert.equal(datasync.mock.callCount(), 1, 'a write of its own is synced already')
    // Killed here, the other process would never sync it.
    await other.writeIfFree(() => other.writer.exec('INSERT INTO rows VALUES (2)'))
    assert.equal(datasync.mock.callCount(), 1)
    await one.synced()
    assert.equal(datasync.mock.callCount(), 2)
    await one.synced()
    assert.equal(datasync.mock.callCount(), 2)
    await other.close()
    await one.close()
  })
})

describe('A write that begins during a repair', () => {
  it('is acknowledged by the next repair if that one fails', async (context) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
    const database = await openDatabase(join(folder.path, 'rows.db'))
    const add = (id: number) =>
      database.write(() => database.writer.prepare('INSERT INTO rows VALUES (?)').run(id))
    await database.write(() => database.writer.exec('CREATE TABLE rows (id)'))
    const repair = Promise.withResolvers<void>()
    const repairing = Promise.withResolvers<void>()
    const datasync = context.mock.method(await fileHandles(), 'datasync')
    datasync.mock.mockImplementationOnce(() => Promise.reject(new Error('EIO')), 0)
    datasync.mock.mockImplementationOnce(() => {
      repairing.resolve()
      return repair.promise
    }, 2)
    await assert.rejects(add(1), StoreUnavailable)

    const waited = assert.rejects(add(2), StoreUnavailable)
    await repairing.promise
    const began = add(3)
    repair.reject(new Error('EIO'))
    await waited
    await began

    const ids = database.reader.prepare('SELECT id FROM rows').all()
    assert.deepEqual(valuesOf(ids, 'id'), [1, 3])
    await database.close()
  })
})

it('a closed database is not affected by a write', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-log-'))
  const file = join(folder.path, 'rows.db')
  const [one, other] = [await openDatabase(file), await openDatabase(file)]
  await one.write(() => one.writer.exec('CREATE TABLE rows (id)'))
  await other.close()
  await assert.rejects(
    other.write(() => {}),
    new StoreUnavailable('The store is closed.'),
  )
  await one.close()
})

/** The prototype of all file handles, which Node does not export. */
async function fileHandles(): Promise<{ datasync(): Promise<void> }> {
  const handle = await open('/dev/null')
  await handle.close()
  return Object.getPrototypeOf(handle)
}

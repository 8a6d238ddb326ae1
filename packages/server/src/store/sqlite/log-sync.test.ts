import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { StoreUnavailable } from '../store.ts'
import { openDatabase } from './database.ts'

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

  for (const [part, statement] of LOST) {
    it(`ends the process where ${part} is gone from the log`, () => {
      const { status, stderr } = loseLog(statement, 'other')
      assert.equal(status, 7)
      assert.match(stderr, LOG_LOST)
    })
  }
})

describe('a process whose syncs have succeeded', () => {
  it('ends where the first page of the database is gone from the log', () => {
    const { status, stderr } = loseLog('CREATE TABLE more (id)', 'one')
    assert.equal(status, 7)
    assert.match(stderr, LOG_LOST)
  })
})

describe('a write that begins during a repair', () => {
  it('is acknowledged by the next repair where that one fails', async (context) => {
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
    assert.deepEqual(
      ids.map(({ id }) => id),
      [1, 3],
    )
    await database.close()
  })
})

it('is left alone by a write to a database that is closed', async () => {
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

/** What all file handles have their methods from; it is not exported. */
async function fileHandles(): Promise<{ datasync(): Promise<void> }> {
  const handle = await open('/dev/null')
  await handle.close()
  return Object.getPrototypeOf(handle)
}

import assert from 'node:assert/strict'
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { newFleet } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'

const KILLS = 5
const BATCH = 200
const PROGRAM = join(import.meta.dirname, 'append-until-killed.fixture.ts')

describe('A process that is killed during appends', () => {
  it('leaves every acknowledged row, whole batches, and an intact database', async (t) => {
    const { folder, store, inspect } = await temporaryStore(t)
    const { organization, object, count, state } = await newFleet(store)
    let batches = 0
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const acknowledged = await appendUntilKilled(folder, organization, object, batches, kill * 7)
      const rows = await count()
      assert.equal(rows % BATCH, 0)
      assert.ok(rows >= (acknowledged + 1) * BATCH, `${acknowledged} of ${rows} rows`)
      assert.equal((await state())?.lastFix?.timeDevice, rows - 1)
      batches = rows / BATCH
    }
    await store.close()
    const [check] = inspect().prepare('PRAGMA integrity_check').all()
    assert.equal(check?.integrity_check, 'ok')
  })
})

// strace may be installed and yet lack permission to trace, as in a container.
const canTrace = spawnSync('strace', ['-e', 'trace=fsync', 'true']).status === 0
const skip = canTrace ? false : 'strace is not installed, or may not trace'

// A kill cannot show whether each commit was synced; a trace of the system calls can.
describe('A process that appends', { skip }, () => {
  it('acknowledges nothing before the log is synced to disk', async (t) => {
    const { folder, store } = await temporaryStore(t)
    const { organization, object } = await newFleet(store)
    const calls = await traceOfAppending(folder, organization, object, 20)
    const acknowledged = calls.filter(({ text }) => ACKNOWLEDGED.test(text))
    assert.ok(acknowledged.length >= 20)
    const writes = calls.filter(({ text }) => LOG_WRITE.test(text))
    const syncs = calls.filter(({ text }) => LOG_SYNC.test(text))
    let before = 0
    for (const { began, text } of acknowledged) {
      const own = writes.filter((write) => write.began > before && write.began < began)
      assert.ok(own.length > 0, `nothing was written for ${text}`)
      const written = Math.max(...own.map(({ ended }) => ended))
      const isSynced = syncs.some((sync) => sync.began >= written && sync.ended < began)
      assert.ok(isSynced, `not synced before ${text}`)
      before = began
    }
  })
})

const LOG_WRITE = /^pwrite64\(\d+<[^>]*fleetgate\.db-wal>/
const LOG_SYNC = /^(fsync|fdatasync)\(\d+<[^>]*fleetgate\.db-wal>\)\s+= 0$/
/** The number of a batch, on the channel to the parent process. */
const ACKNOWLEDGED = /^write\(\d+<[^>]*(?:UNIX|socket)[^>]*.*>, "\d+\\n"/

type Call = { text: string; began: number; ended: number }

/** The system calls of all threads with their start and end, in seconds. */
async function traceOfAppending(
  folder: string,
  organization: number,
  object: number,
  batches: number,
): Promise<Call[]> {
  const traces = join(folder, 'traces')
  mkdirSync(traces)
  const child = spawn(
    'strace',
    [
      ...['-ff', '-ttt', '-T', '-y', '-s', '32', '-o', join(traces, 'thread')],
      ...['-e', 'trace=fsync,fdatasync,write,pwrite64', process.execPath],
      ...[PROGRAM, folder, `${organization}`, `${object}`, '0'],
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  child.on('message', (batch: number) => {
    if (batch === batches) child.disconnect()
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  const lines = readdirSync(traces).flatMap((file) =>
    readFileSync(join(traces, file), 'utf8').split('\n'),
  )
  const calls = lines.flatMap((line) => {
    const [, began, text, took] = /^(\d+\.\d+) (.*) <(\d+\.\d+)>$/.exec(line) ?? []
    if (began === undefined) return []
    return [{ text: text!, began: Number(began), ended: Number(began) + Number(took) }]
  })
  return calls.sort((a, b) => a.began - b.began)
}

/** The last acknowledged batch. */
async function appendUntilKilled(
  folder: string,
  organization: number,
  object: number,
  first: number,
  batches: number,
): Promise<number> {
  const child = fork(PROGRAM, [folder, `${organization}`, `${object}`, `${first}`])
  let last = -1
  child.on('message', (batch: number) => {
    last = batch
    if (batch >= first + batches) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
  return last
}

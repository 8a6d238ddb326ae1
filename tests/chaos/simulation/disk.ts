import fs from 'node:fs'
import promises, { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Random } from '../../../packages/server/testing/random.ts'

/**
 * The disk under the real parts of this process. It decides when written bytes are durable, fails on demand, and
 * loses bytes that were not durable at a power cut. The parts do not know it: it replaces calls of `node:fs` and
 * `node:sqlite`.
 * It fails as Linux does: after a failed sync, the bytes that could not be written count as written. Later syncs
 * succeed, the page cache still has the bytes, and the disk has a hole until the bytes are written to new blocks.
 */
export type Disk = {
  /** Turns of the event loop that a sync takes. */
  syncTurns: number
  /** `full`: no file can grow; `read-only`: nothing can change; `sync`: no sync succeeds. */
  fail(how: Failure | null): void
  /** Copies a data folder as the next process would find it: after `kill -9`, or after a power cut. */
  image(from: string, to: string, random: Random, power: PowerCut | null): LogOnDisk
  /** Begins with a folder in this state of its log; null without a log. */
  opened(log: LogOnDisk | null): void
  /** Must be called if another process may have emptied the log. */
  lookForEmptyLog(): void
}

export type Failure = 'full' | 'read-only' | 'sync'

/** Log frames that a sync has handled, and those that it failed to write. */
export type LogOnDisk = { syncedFrames: number; holes: ReadonlySet<number> }

/** Remaining bytes of the quota journal, which is not synced while it grows. */
export type PowerCut = { journalBytes: number }

const DATABASE = 'fleetgate.db'
const JOURNAL = 'quota.journal'
/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
const LOG_HEADER = 32
const FRAME = 24 + 4_096
/** Bytes of the shortest journal frame: a charge of one object. */
const MIN_FRAME_BYTES = 24

/** Replaces the disk of this process permanently. */
export async function takeDisk(): Promise<Disk> {
  const writers = new Set<DatabaseSync>()
  let failing: Failure | null = null
  let syncedFrames = 0
  let holes = new Set<number>()
  /** Descriptors of the log outside SQLite. */
  const logFiles = new Set<number>()

  function applyTo(writer: DatabaseSync): void {
    const { page_count: pages } = writer.prepare('PRAGMA page_count').get() as Record<
      string,
      number
    >
    writer.exec(`PRAGMA query_only = ${failing === 'read-only' ? 1 : 0}`)
    writer.exec(`PRAGMA max_page_count = ${failing === 'full' ? pages : 2 ** 31 - 2}`)
  }

  const { exec, close } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    exec.call(this, sql)
    // The connection that sets the journal mode is the writer.
    if (sql.includes('journal_mode') && this.location()?.endsWith(DATABASE)) writers.add(this)
  }
  DatabaseSync.prototype.close = function (this: DatabaseSync) {
    writers.delete(this)
    close.call(this)
  }

  function framesInLog(): number {
    const [writer] = writers
    if (writer === undefined) return 0
    const { log } = writer.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number }
    return Math.max(0, log)
  }

  const disk: Disk = {
    syncTurns: 1,
    fail(how) {
      failing = how
      for (const writer of writers) applyTo(writer)
    },
    opened(log) {
      syncedFrames = log?.syncedFrames ?? 0
      holes = new Set(log?.holes)
    },
    lookForEmptyLog() {
      if (framesInLog() === 0) disk.opened(null)
    },
    image(from, to, random, power) {
      fs.mkdirSync(to)
      fs.copyFileSync(join(from, DATABASE), join(to, DATABASE))
      const logFile = join(from, `${DATABASE}-wal`)
      const log = fs.existsSync(logFile) ? fs.readFileSync(logFile) : Buffer.alloc(0)
      const journal = fs.readFileSync(join(from, JOURNAL))
      const written = log.subarray(0, endOf(framesInLog()))
      const kept = power === null ? log : torn(onDisk(written, 0), endOf(syncedFrames), random)
      fs.writeFileSync(join(to, `${DATABASE}-wal`), kept)
      fs.writeFileSync(
        join(to, JOURNAL),
        power === null ? journal : tornJournal(journal, power.journalBytes, random),
      )
      // The start of a compaction that was being written.
      if (random.chance(0.2)) fs.writeFileSync(join(to, `${JOURNAL}.new`), garbage(100, random))
      // The page cache outlives a killed process, and hides the holes from the next one.
      if (power === null) return { syncedFrames, holes: new Set(holes) }
      return { syncedFrames: Math.min(syncedFrames, ...holes), holes: new Set() }
    },
  }

  /** Bytes of the log from `position` on, as a direct read returns them. */
  function onDisk(bytes: Buffer, position: number): Buffer {
    const read = Buffer.from(bytes)
    for (const hole of holes) {
      const [from, to] = [endOf(hole) || LOG_HEADER, endOf(hole + 1)].map((at) => at - position)
      if (to! > 0 && from! < read.length)
        read.fill(0, Math.max(0, from!), Math.min(to!, read.length))
    }
    return read
  }

  /** As in Linux: the pages of a failed sync count as written, and the next sync has nothing to do. */
  async function sync(): Promise<void> {
    const frames = framesInLog()
    for (let turns = disk.syncTurns; turns > 0; turns -= 1) await turn()
    const hasFailed = failing === 'sync' && frames > syncedFrames
    if (hasFailed) for (let frame = syncedFrames; frame < frames; frame += 1) holes.add(frame)
    syncedFrames = Math.max(syncedFrames, frames)
    if (hasFailed) throw failure('EIO', 'i/o error, fdatasync')
  }

  const { open: openFile } = promises
  promises.open = async (path, flags, mode) => {
    const isDirect = typeof flags === 'number' && (flags & fs.constants.O_DIRECT) !== 0
    // The simulated disk is in memory, which does not support direct reads.
    const handle = await openFile(path, isDirect ? flags & ~fs.constants.O_DIRECT : flags, mode)
    if (!String(path).endsWith('-wal')) return handle
    const { fd } = handle
    logFiles.add(fd)
    const close = handle.close.bind(handle)
    handle.close = () => {
      logFiles.delete(fd)
      return close()
    }
    if (isDirect) readPastCache(handle)
    return handle
  }

  function readPastCache(handle: FileHandle): void {
    const read = handle.read.bind(handle) as (...call: unknown[]) => Promise<{ bytesRead: number }>
    const direct = async (buffer: Buffer, offset: number, length: number, position: number) => {
      // Dirty pages are written first.
      if (failing === 'sync' && framesInLog() > syncedFrames)
        throw failure('EIO', 'i/o error, read')
      const { bytesRead } = await read(buffer, offset, length, position)
      const bytes = buffer.subarray(offset, offset + bytesRead)
      onDisk(bytes, position).copy(bytes)
      return { bytesRead, buffer }
    }
    handle.read = direct as unknown as FileHandle['read']
  }

  const { writeSync, ftruncateSync } = fs
  fs.writeSync = ((...call: Parameters<typeof writeSync>) => {
    // Space that the log has released on a full disk can be reused.
    const isFull = failing === 'full' && !logFiles.has(call[0])
    if (isFull || failing === 'read-only') throw failure('ENOSPC', 'no space left on device, write')
    return writeSync(...call)
  }) as typeof writeSync
  fs.ftruncateSync = (file, length = 0) => {
    if (!logFiles.has(file)) return ftruncateSync(file, length)
    if (failing === 'read-only') throw failure('EROFS', 'read-only file system, ftruncate')
    ftruncateSync(file, length)
    const kept = Math.max(0, Math.floor((length - LOG_HEADER) / FRAME))
    syncedFrames = Math.min(syncedFrames, kept)
    // Later writes get new blocks.
    for (const hole of holes) if (hole >= kept) holes.delete(hole)
  }
  syncBuiltinESMExports()
  Object.getPrototypeOf(await anyHandle()).datasync = sync
  return disk
}

function endOf(frames: number): number {
  return frames === 0 ? 0 : LOG_HEADER + frames * FRAME
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}

/** Node does not export the prototype of file handles. */
async function anyHandle(): Promise<FileHandle> {
  const handle = await open('/dev/null')
  await handle.close()
  return handle
}

/** Durable bytes remain; others may be cut off, unwritten or replaced. */
function torn(log: Buffer, safe: number, random: Random): Buffer {
  const tail = log.length - safe
  if (tail <= 0) return Buffer.from(log)
  const end = random.chance(0.5) ? log.length : safe + random.whole(0, tail)
  const kept = Buffer.from(log.subarray(0, end))
  if (kept.length > safe && random.chance(0.5)) {
    for (let flips = random.whole(1, 3); flips > 0; flips -= 1) {
      kept[random.whole(safe, kept.length - 1)]! ^= 1 << random.whole(0, 7)
    }
  }
  if (kept.length > safe && random.chance(0.2)) kept.fill(0, random.whole(safe, kept.length - 1))
  return kept
}

/** Whole frames up to that point, followed by damaged bytes of the next ones. */
function tornJournal(journal: Buffer, bytes: number, random: Random): Buffer {
  const tail = Buffer.from(journal.subarray(bytes))
  const kept = tail.subarray(0, random.whole(0, tail.length))
  // No frame is shorter.
  if (kept.length >= MIN_FRAME_BYTES)
    kept[random.whole(0, MIN_FRAME_BYTES - 1)]! ^= 1 << random.whole(0, 7)
  return Buffer.concat([journal.subarray(0, bytes), kept])
}

function garbage(bytes: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: bytes }, () => random.whole(0, 255)))
}

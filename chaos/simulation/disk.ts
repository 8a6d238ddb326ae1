import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Random } from '../../packages/server/src/demo/random.ts'

/**
 * The disk under the real parts of this process: it says when what was written is safe, fails on
 * demand, and loses at a power cut what it never said was safe. The parts know nothing of it: it sits
 * where they call `node:fs` and `node:sqlite`.
 */
export type Disk = {
  /** Turns of the event loop that a sync takes. */
  syncTurns: number
  /** `full`: nothing grows; `read-only`: nothing changes; `sync`: nothing can be made safe. */
  fail(how: Failure | null): void
  /**
   * Copies what a data folder holds as somebody would find it now: after `kill -9`, or after a power
   * cut. Returns how many frames of its log are safe.
   */
  image(from: string, to: string, random: Random, power: PowerCut | null): number
  /** To be called with a log that another one has become, or that was emptied. */
  opened(safe: number): void
}

export type Failure = 'full' | 'read-only' | 'sync'

/** How many bytes of the quota's journal are left, which is not synced while it grows. */
export type PowerCut = { journalBytes: number }

const DATABASE = 'fleetgate.db'
const JOURNAL = 'quota.journal'
/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
const LOG_HEADER = 32
const FRAME = 24 + 4_096
/** Bytes of the journal's shortest frame: a charge of one object. */
const FRAME_LEAST = 24

/** Takes the place of this process's disk, for good. */
export async function takeDisk(): Promise<Disk> {
  const writers = new Set<DatabaseSync>()
  let failing: Failure | null = null
  /** Frames of the log that are safe. */
  let safeFrames = 0

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
    // Who sets how the log is kept is who writes.
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
    opened(safe) {
      safeFrames = safe
    },
    image(from, to, random, power) {
      fs.mkdirSync(to)
      fs.copyFileSync(join(from, DATABASE), join(to, DATABASE))
      const logFile = join(from, `${DATABASE}-wal`)
      const log = fs.existsSync(logFile) ? fs.readFileSync(logFile) : Buffer.alloc(0)
      const journal = fs.readFileSync(join(from, JOURNAL))
      const written = LOG_HEADER + framesInLog() * FRAME
      const safe = safeFrames === 0 ? 0 : LOG_HEADER + safeFrames * FRAME
      const kept = power === null ? log : torn(log.subarray(0, written), safe, random)
      fs.writeFileSync(join(to, `${DATABASE}-wal`), kept)
      fs.writeFileSync(
        join(to, JOURNAL),
        power === null ? journal : tornJournal(journal, power.journalBytes, random),
      )
      // The beginning of a short form that was being written.
      if (random.chance(0.2)) fs.writeFileSync(join(to, `${JOURNAL}.new`), garbage(100, random))
      return safeFrames
    },
  }

  async function sync(): Promise<void> {
    const frames = framesInLog()
    for (let turns = disk.syncTurns; turns > 0; turns -= 1) await turn()
    if (failing === 'sync')
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    safeFrames = Math.max(safeFrames, frames)
  }

  const { writeSync } = fs
  fs.writeSync = ((...call: Parameters<typeof writeSync>) => {
    if (failing === 'full' || failing === 'read-only') {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }
    return writeSync(...call)
  }) as typeof writeSync
  syncBuiltinESMExports()
  Object.getPrototypeOf(await anyHandle()).datasync = sync
  return disk
}

/** What all handles have their methods of is exported nowhere. */
async function anyHandle(): Promise<FileHandle> {
  const handle = await open('/dev/null')
  await handle.close()
  return handle
}

/** What is safe stays; what is not may be cut off, not have been written, or be something else. */
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

/** Whole frames up to there, and of the next ones what was never written as it should have been. */
function tornJournal(journal: Buffer, bytes: number, random: Random): Buffer {
  const tail = Buffer.from(journal.subarray(bytes))
  const kept = tail.subarray(0, random.whole(0, tail.length))
  // No frame is shorter.
  if (kept.length >= FRAME_LEAST) kept[random.whole(0, FRAME_LEAST - 1)]! ^= 1 << random.whole(0, 7)
  return Buffer.concat([journal.subarray(0, bytes), kept])
}

function garbage(bytes: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: bytes }, () => random.whole(0, 255)))
}

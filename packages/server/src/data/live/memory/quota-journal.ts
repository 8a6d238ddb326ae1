import { closeSync, ftruncateSync } from 'node:fs'
import { join } from 'node:path'
import type { QuotaCount } from '../../../base/domain/limits.ts'

import { type Amounts, QuotaUnavailable } from '../realtime.ts'
import {
  add,
  type Counted,
  closeUnused,
  countsOf,
  type DayCounts,
  type Frame,
  frameOf,
  type ReadonlyDays,
  replay,
  rewrite,
  syncFile,
  writeWhole,
} from './journal-file.ts'

/** The file of the day's quota counters, next to the database. */
export const QUOTA_JOURNAL = 'quota.journal'

/**
 * The journal of the quota counters: an append-only file of frames. A frame is one whole charge, so that
 * a charge of many objects is there completely or not at all.
 *
 * All frames of one pass of the event loop go to the operating system in one write, before any of their
 * charges is acknowledged. They survive the process (`kill -9`), but not a power cut in the same second.
 * A charge costs less than 1 µs this way. An upsert in SQLite costs 7 µs and waits for every import that
 * holds the write lock.
 *
 * Frame, little-endian: CRC32 of the rest (4 bytes), number of float64 values (4), UTC day (4), factor (4,
 * signed), then the values (8 each): the ids of the objects, integers below 2^53. If the day has
 * `AMOUNTS_MARK`, then as many amounts in hundredths. Otherwise each amount is a unit. The factor multiplies them.
 */
export type QuotaJournal = {
  /** The counters of a UTC day by object, including changes that are not written yet. */
  countsOf(day: number): Counted & Pick<DayCounts, 'get'>
  /**
   * Adds each amount, times `factor`, to its object's counter at once. `highest` is the greatest counter
   * afterwards, in hundredths. `written` resolves when the journal has the change. If the write fails, the
   * change is undone and `written` rejects with `QuotaUnavailable`.
   */
  append(amounts: Amounts, factor: number): Appended
  /** Syncs appended frames to the disk. Otherwise they are synced a second after an append. */
  sync(): Promise<void>
  close(): void
}

type Appended = { highest: number; written: Promise<void> }

/** The journal is compacted when it is longer than this and at least half of it is outdated. */
const COMPACT_ABOVE_BYTES = 64 * 1024 * 1024

const SYNC_AFTER_MS = 1_000

export function openQuotaJournal(
  path: string,
  compactAboveBytes = COMPACT_ABOVE_BYTES,
): QuotaJournal {
  const days = replay(path)
  const file = openCompacted(path, days, compactAboveBytes)
  let closed = false

  let turn: Turn | undefined
  /** Set from an append until it is synced. */
  let syncTimer: NodeJS.Timeout | undefined

  function append(amounts: Amounts, factor: number): Appended {
    if (turn === undefined) {
      turn = { ...Promise.withResolvers<void>(), frames: [] }
      setImmediate(writeTurn)
    }
    const frame = { amounts, factor }
    turn.frames.push(frame)
    const highest = add(days, frame)
    return { highest, written: turn.promise }
  }

  function writeTurn(): void {
    if (turn === undefined) return
    const { frames, resolve, reject } = turn
    turn = undefined
    try {
      if (closed) throw new Error('it is closed')
      file.append(Buffer.concat(frames.map(frameOf)))
      syncSoon()
    } catch (cause) {
      for (const { amounts, factor } of frames) add(days, { amounts, factor: -factor })
      reject(new QuotaUnavailable('the quota journal cannot be written', { cause }))
      return
    }
    resolve()
    if (file.isLong()) file.compact()
  }

  function syncSoon(): void {
    syncTimer ??= setTimeout(sync, SYNC_AFTER_MS).unref()
  }

  async function sync(): Promise<void> {
    clearTimeout(syncTimer)
    syncTimer = undefined
    writeTurn()
    await file.sync()
    if (closed || !file.hasHole()) return
    // The compact form must not have charges that are appended to it again.
    writeTurn()
    file.compact()
    // This sync also makes the name of the new file durable.
    await file.sync()
    if (file.hasHole()) syncSoon()
  }

  return {
    countsOf: (day) => countsOf(days, day),
    append,
    sync,
    close() {
      writeTurn()
      clearTimeout(syncTimer)
      if (!closed) file.close()
      closed = true
    },
  }
}

/** The file of a journal. `days` are its counters, from which a compact form is written. */
function openCompacted(path: string, days: ReadonlyDays, compactAboveBytes: number) {
  let file = rewrite(path, days)
  let compactAt = Math.max(compactAboveBytes, 2 * file.length)

  /** Some frames of a failed write may be complete, although their charges were refused. */
  function cutOff(): void {
    try {
      ftruncateSync(file.fd, file.length)
    } catch {
      // The next write starts at the same place and overwrites them.
    }
  }

  function compact(): void {
    const long = file
    try {
      file = rewrite(path, days)
      closeUnused(long)
    } catch {
      // A disk without room for the compact form may still have room for the next charges.
    }
    compactAt = Math.max(compactAboveBytes, 2 * file.length)
  }

  return {
    /** Throws if it cannot write all bytes. Then none of them count. */
    append(bytes: Buffer): void {
      try {
        writeWhole(file.fd, bytes, file.length)
      } catch (error) {
        cutOff()
        throw error
      }
      file.length += bytes.length
    },
    isLong: () => file.length > compactAt,
    compact,
    sync: () => syncFile(file),
    hasHole: () => file.hasHole,
    close: () => closeUnused(file),
  }
}

/** The counters of a journal, by UTC day and object. Another process may append to it meanwhile. */
export function readQuotaJournal(path: string): ReadonlyDays {
  return replay(path)
}

/** Replaces the journal by one with these counters. No process may have it open. */
function writeQuotaJournal(path: string, days: ReadonlyDays): void {
  closeSync(rewrite(path, days).fd)
}

/** The charges of one write. */
type Turn = PromiseWithResolvers<void> & { frames: Frame[] }

/** The counters of a data folder from the UTC day `since` on. The journal does not name organizations. */
export function readJournaledCounts(
  folder: string,
  since: number,
): Omit<QuotaCount, 'organization'>[] {
  const counts: Omit<QuotaCount, 'organization'>[] = []
  for (const [day, byObject] of readQuotaJournal(join(folder, QUOTA_JOURNAL))) {
    if (day < since) continue
    for (const [object, hundredths] of byObject) counts.push({ day, object, hundredths })
  }
  return counts
}

/** Replaces the counters of a data folder that no process serves. */
export function writeJournaledCounts(
  folder: string,
  counts: Iterable<Omit<QuotaCount, 'organization'>>,
): void {
  const days = new Map<number, Map<number, number>>()
  for (const { day, object, hundredths } of counts) {
    const byObject = days.get(day) ?? new Map<number, number>()
    days.set(day, byObject.set(object, hundredths))
  }
  writeQuotaJournal(join(folder, QUOTA_JOURNAL), days)
}

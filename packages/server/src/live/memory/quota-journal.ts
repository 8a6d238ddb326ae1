import {
  closeSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { HUNDREDTHS_PER_UNIT } from '../../domain/limits.ts'
import { type Amounts, amountAt, QuotaUnavailable } from '../realtime.ts'
import { type Counted, type DayCounts, dayCounts } from './day-counts.ts'

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
  /** Brings what was appended to the disk. It comes by itself a second after an append. */
  sync(): Promise<void>
  close(): void
}

export type Appended = { highest: number; written: Promise<void> }

const HEADER_BYTES = 16
const VALUE_BYTES = 8
/** Added to the day of a frame with amounts. Most charges are of whole units, whose frames have half the bytes. */
const AMOUNTS_MARK = 2 ** 31
const OBJECTS_PER_FRAME = 1_000
/** The journal is compacted when it is longer than this and at least half of it is outdated. */
const COMPACT_ABOVE_BYTES = 64 * 1024 * 1024
/**
 * Today, yesterday for a request that began before midnight, and one more, so that a system clock that
 * was wrong for a while does not cost today's counters.
 */
const DAYS_KEPT = 3
const SYNC_AFTER_MS = 1_000

export function openQuotaJournal(
  path: string,
  compactAboveBytes = COMPACT_ABOVE_BYTES,
): QuotaJournal {
  const days = replay(path)
  let file = rewrite(path, days)
  let compactAt = Math.max(compactAboveBytes, 2 * file.length)
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
      const bytes = Buffer.concat(frames.map(frameOf))
      writeWhole(file.fd, bytes, file.length)
      file.length += bytes.length
      syncSoon()
    } catch (cause) {
      for (const { amounts, factor } of frames) add(days, { amounts, factor: -factor })
      cutOff()
      reject(new QuotaUnavailable('the quota journal cannot be written', { cause }))
      return
    }
    resolve()
    if (file.length > compactAt) compact()
  }

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

  function syncSoon(): void {
    syncTimer ??= setTimeout(sync, SYNC_AFTER_MS).unref()
  }

  async function sync(): Promise<void> {
    clearTimeout(syncTimer)
    syncTimer = undefined
    writeTurn()
    await syncFile(file)
    if (closed || !file.hasHole) return
    // The compact form must not have charges that are appended to it once more.
    writeTurn()
    compact()
    // Its name comes to the disk with the file.
    await syncFile(file)
    if (file.hasHole) syncSoon()
  }

  return {
    countsOf: (day) => countsOf(days, day),
    append,
    sync,
    close() {
      writeTurn()
      clearTimeout(syncTimer)
      if (!closed) closeUnused(file)
      closed = true
    },
  }
}

async function syncFile(file: JournalFile): Promise<void> {
  const sync = () => promisify(fsync)(file.fd)
  file.syncing = file.syncing.then(sync).catch(() => {
    file.hasHole = true
  })
  await file.syncing
}

/** Closes it once no sync uses it. */
function closeUnused({ fd, syncing }: JournalFile): void {
  void syncing.then(() => closeSync(fd))
}

/** The counters of a journal, by UTC day and object. Another process may append to it meanwhile. */
export function readQuotaJournal(path: string): ReadonlyDays {
  return replay(path)
}

/** Replaces the journal by one with these counters. No process may have it open. */
export function writeQuotaJournal(path: string, days: ReadonlyDays): void {
  closeSync(rewrite(path, days).fd)
}

/** One charge before it is encoded. */
type Frame = { amounts: Amounts; factor: number }

/** The charges of one write. */
type Turn = PromiseWithResolvers<void> & { frames: Frame[] }

type Days = Map<number, DayCounts>
type ReadonlyDays = ReadonlyMap<number, Counted>

function countsOf(days: Days, day: number): DayCounts {
  let counts = days.get(day)
  if (counts === undefined) {
    counts = dayCounts()
    days.set(day, counts)
    if (days.size > DAYS_KEPT) days.delete(farthestFrom(day, days.keys()))
  }
  return counts
}

function farthestFrom(day: number, others: Iterable<number>): number {
  return [...others].reduce((a, b) => (Math.abs(b - day) > Math.abs(a - day) ? b : a))
}

/** Returns the greatest counter afterwards. */
function add(days: Days, { amounts, factor }: Frame): number {
  const { objects, day } = amounts
  const counts = countsOf(days, day)
  let highest = 0
  for (let i = 0; i < objects.length; i += 1) {
    const count = counts.add(objects[i]!, factor * amountAt(amounts, i))
    if (count > highest) highest = count
  }
  return highest
}

/** Sums up the frames of a journal. A torn frame at its end was never acknowledged, so it is ignored. */
function replay(path: string): Days {
  const days: Days = new Map()
  const bytes = readIfThere(path)
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const end = at + HEADER_BYTES + length * VALUE_BYTES
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32LE(at)) break
    const marked = bytes.readUInt32LE(at + 8)
    const factor = bytes.readInt32LE(at + 12)
    const values = Array.from({ length }, (_, i) =>
      bytes.readDoubleLE(at + HEADER_BYTES + i * VALUE_BYTES),
    )
    add(days, { amounts: amountsOf(marked, values), factor })
    at = end
  }
  return days
}

function amountsOf(marked: number, values: number[]): Amounts {
  if (marked < AMOUNTS_MARK) return { objects: values, day: marked }
  const hundredths = values.splice(values.length / 2)
  return { objects: values, hundredths, day: marked - AMOUNTS_MARK }
}

type JournalFile = {
  readonly fd: number
  length: number
  /** Resolves when the syncs under way have ended. */
  syncing: Promise<void>
  /** Whether a sync has failed: a hole stays in the file, although later syncs succeed. */
  hasHole: boolean
}

/** Writes the counters to a new journal, renames it to the old one's name and opens it for appending. */
function rewrite(path: string, days: ReadonlyDays): JournalFile {
  const draft = `${path}.new`
  const file = {
    fd: openSync(draft, 'w', 0o600),
    length: 0,
    syncing: Promise.resolve(),
    hasHole: false,
  }
  try {
    for (const frame of shortForm(days)) {
      writeWhole(file.fd, frame, file.length)
      file.length += frame.length
    }
    fsyncSync(file.fd)
    renameSync(draft, path)
    return file
  } catch (error) {
    closeSync(file.fd)
    rmSync(draft, { force: true })
    throw error
  }
}

function* shortForm(days: ReadonlyDays): Generator<Buffer> {
  for (const [day, counts] of days) {
    for (const [count, all] of byCount(counts)) {
      for (let at = 0; at < all.length; at += OBJECTS_PER_FRAME) {
        const objects = all.slice(at, at + OBJECTS_PER_FRAME)
        const factor = count / HUNDREDTHS_PER_UNIT
        yield Number.isInteger(factor)
          ? frameOf({ amounts: { objects, day }, factor })
          : frameOf({ amounts: { objects, hundredths: objects.map(() => count), day }, factor: 1 })
      }
    }
  }
}

function byCount(counts: Counted): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [object, count] of counts) {
    const group = groups.get(count)
    if (group === undefined) groups.set(count, [object])
    else group.push(object)
  }
  return groups
}

function frameOf({ amounts: { objects, hundredths, day }, factor }: Frame): Buffer {
  const values = hundredths === undefined ? objects : [...objects, ...hundredths]
  const frame = Buffer.allocUnsafe(HEADER_BYTES + values.length * VALUE_BYTES)
  // A `DataView` writes these in half the time of the buffer's own methods.
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length)
  view.setUint32(4, values.length, true)
  view.setUint32(8, hundredths === undefined ? day : day + AMOUNTS_MARK, true)
  view.setInt32(12, factor, true)
  for (let i = 0; i < values.length; i += 1) {
    view.setFloat64(HEADER_BYTES + i * VALUE_BYTES, values[i]!, true)
  }
  view.setUint32(0, crc32(frame.subarray(4)), true)
  return frame
}

function writeWhole(fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(fd, bytes, at, bytes.length - at, position + at)
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

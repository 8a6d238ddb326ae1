import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { QuotaUnavailable } from '../realtime.ts'
import { type Counted, type DayCounts, dayCounts } from './day-counts.ts'

/**
 * The quota counters' journal: an append-only file of frames, each the whole of one charge, so that
 * a charge of many objects is all there or not at all. The frames of one turn of the event loop are
 * handed to the operating system in one write, before any of their charges is acknowledged: they
 * outlive the process (`kill -9`), though not a power cut of the same second. That costs a charge less
 * than a microsecond, where an upsert in SQLite costs seven and would wait for every import that
 * holds the write lock.
 *
 * Frame, little-endian: CRC32 of what follows (4), number of objects (4), UTC day (4), delta (4,
 * signed), then each object's id (8, a float64: ids are integers below 2^53).
 */
export type QuotaJournal = {
  /** The counters of a UTC day, by object, with what is being appended. */
  countsOf(day: number): Counted & Pick<DayCounts, 'get'>
  /**
   * Adds `delta` to each object's counter at once; `highest` is the greatest of what they are then.
   * `written` resolves when that is written; where it cannot be, it is taken back and `written` rejects
   * with `QuotaUnavailable`.
   */
  append(day: number, delta: number, objects: readonly number[]): Appended
  close(): void
}

export type Appended = { highest: number; written: Promise<void> }

const HEADER_BYTES = 16
const ID_BYTES = 8
const OBJECTS_PER_FRAME = 1_000
/** A journal is rewritten in its short form when it is this long and mostly history. */
const COMPACT_ABOVE_BYTES = 64 * 1024 * 1024
/**
 * Today, yesterday for a request that began before midnight, and one more, so that a system clock
 * that was set wrong for a while costs nobody today's counters.
 */
const DAYS_KEPT = 3

export function openQuotaJournal(
  path: string,
  compactAboveBytes = COMPACT_ABOVE_BYTES,
): QuotaJournal {
  const days = replay(path)
  let file = rewrite(path, days)
  let compactAt = Math.max(compactAboveBytes, 2 * file.length)
  let closed = false

  let turn: Turn | undefined

  function append(day: number, delta: number, objects: readonly number[]): Appended {
    if (turn === undefined) {
      turn = { ...Promise.withResolvers<void>(), frames: [] }
      setImmediate(writeTurn)
    }
    turn.frames.push({ day, delta, objects })
    const highest = addTo(countsOf(days, day), delta, objects)
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
    } catch (cause) {
      for (const { day, delta, objects } of frames) addTo(countsOf(days, day), -delta, objects)
      cutOff()
      reject(new QuotaUnavailable('the quota journal cannot be written', { cause }))
      return
    }
    resolve()
    if (file.length > compactAt) compact()
  }

  /** Some frames of a failed write may be whole, and their charges were refused. */
  function cutOff(): void {
    try {
      ftruncateSync(file.fd, file.length)
    } catch {
      // The next write begins in the same place and overwrites them.
    }
  }

  function compact(): void {
    const long = file
    try {
      file = rewrite(path, days)
      closeSync(long.fd)
    } catch {
      // A disk that has no room for the short form may still have it for the next charges.
    }
    compactAt = Math.max(compactAboveBytes, 2 * file.length)
  }

  return {
    countsOf: (day) => countsOf(days, day),
    append,
    close() {
      writeTurn()
      if (!closed) closeSync(file.fd)
      closed = true
    },
  }
}

/** The counters of a journal, by UTC day and object, also while another process appends to it. */
export function readQuotaJournal(path: string): ReadonlyDays {
  return replay(path)
}

/** Puts a journal of these counters in the place of the one that stands, which nobody may have open. */
export function writeQuotaJournal(path: string, days: ReadonlyDays): void {
  closeSync(rewrite(path, days).fd)
}

/** One charge, before it is bytes. */
type Frame = { day: number; delta: number; objects: readonly number[] }

/** The charges that are written together. */
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

/** The greatest of what the counters are then. */
function addTo(counts: DayCounts, delta: number, objects: readonly number[]): number {
  let highest = 0
  for (const object of objects) {
    const count = counts.add(object, delta)
    if (count > highest) highest = count
  }
  return highest
}

/** Sums up the frames of a journal; a torn one at its end was never acknowledged and is left out. */
function replay(path: string): Days {
  const days: Days = new Map()
  const bytes = readIfThere(path)
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const objects = bytes.readUInt32LE(at + 4)
    const end = at + HEADER_BYTES + objects * ID_BYTES
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32LE(at)) break
    const day = bytes.readUInt32LE(at + 8)
    const delta = bytes.readInt32LE(at + 12)
    const ids = Array.from({ length: objects }, (_, i) =>
      bytes.readDoubleLE(at + HEADER_BYTES + i * ID_BYTES),
    )
    addTo(countsOf(days, day), delta, ids)
    at = end
  }
  return days
}

type JournalFile = { readonly fd: number; length: number }

/** Writes the counters as a new journal, puts it in the old one's place and opens it to append. */
function rewrite(path: string, days: ReadonlyDays): JournalFile {
  const draft = `${path}.new`
  const file = { fd: openSync(draft, 'w', 0o600), length: 0 }
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
    for (const [count, objects] of byCount(counts)) {
      for (let at = 0; at < objects.length; at += OBJECTS_PER_FRAME) {
        yield frameOf({ day, delta: count, objects: objects.slice(at, at + OBJECTS_PER_FRAME) })
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

function frameOf({ day, delta, objects }: Frame): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + objects.length * ID_BYTES)
  // A view writes these in half the time that a buffer's own methods take.
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length)
  view.setUint32(4, objects.length, true)
  view.setUint32(8, day, true)
  view.setInt32(12, delta, true)
  for (let i = 0; i < objects.length; i += 1) {
    view.setFloat64(HEADER_BYTES + i * ID_BYTES, objects[i]!, true)
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

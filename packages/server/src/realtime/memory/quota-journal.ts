import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { QuotaUnavailable } from '../realtime.ts'

/**
 * The quota counters' journal: an append-only file of frames, each the whole of one charge, so that
 * a charge of many objects is all there or not at all. A frame is handed to the operating system
 * before the charge is acknowledged: it outlives the process (`kill -9`), though not a power cut of
 * the same second. It costs a microsecond, where an upsert in SQLite costs seven and would wait
 * for every import that holds the write lock.
 *
 * Frame, little-endian: CRC32 of what follows (4), number of objects (4), UTC day (4), delta (4,
 * signed), then each object's id (8, a float64: ids are integers below 2^53).
 */
export type QuotaJournal = {
  /** The counters of a UTC day, by object; for the caller to keep in step with what it appends. */
  countsOf(day: number): Map<number, number>
  append(day: number, delta: number, objects: number[]): void
  close(): void
}

const HEADER_BYTES = 16
const ID_BYTES = 8
const OBJECTS_PER_FRAME = 1_000
/** A journal is rewritten in its short form when it is this long and mostly history. */
const COMPACT_ABOVE_BYTES = 64 * 1024 * 1024

export function openQuotaJournal(
  path: string,
  compactAboveBytes = COMPACT_ABOVE_BYTES,
): QuotaJournal {
  const days = replay(path)
  let { fd, length } = rewrite(path, days)
  let compactAt = Math.max(compactAboveBytes, 2 * length)

  function append(day: number, delta: number, objects: number[]): void {
    if (fd === -1) throw new QuotaUnavailable('the quota journal cannot be written')
    const frame = frameOf(day, delta, objects)
    try {
      writeWhole(fd, frame, length)
    } catch (cause) {
      // What was written of the frame must not stand between this one and the next.
      repair()
      throw new QuotaUnavailable('the quota journal cannot be written', { cause })
    }
    length += frame.length
  }

  function repair(): void {
    try {
      ftruncateSync(fd, length)
    } catch {
      closeSync(fd)
      fd = -1
    }
  }

  function countsOf(day: number): Map<number, number> {
    let counts = days.get(day)
    if (counts === undefined) {
      counts = new Map()
      days.set(day, counts)
      keepTwoNewest(days)
    }
    if (length > compactAt) {
      closeSync(fd)
      ;({ fd, length } = rewrite(path, days))
      compactAt = Math.max(compactAboveBytes, 2 * length)
    }
    return counts
  }

  return {
    countsOf,
    append,
    close() {
      if (fd !== -1) closeSync(fd)
      fd = -1
    },
  }
}

type Days = Map<number, Map<number, number>>

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
    const counts = days.get(day) ?? new Map<number, number>()
    days.set(day, counts)
    for (let id = at + HEADER_BYTES; id < end; id += ID_BYTES) {
      const object = bytes.readDoubleLE(id)
      counts.set(object, (counts.get(object) ?? 0) + delta)
    }
    at = end
  }
  keepTwoNewest(days)
  return days
}

/** Writes the counters as a new journal, puts it in the old one's place and opens it to append. */
function rewrite(path: string, days: Days): { fd: number; length: number } {
  const fd = openSync(`${path}.new`, 'w', 0o600)
  let length = 0
  for (const [day, counts] of days) {
    for (const [count, objects] of byCount(counts)) {
      for (let at = 0; at < objects.length; at += OBJECTS_PER_FRAME) {
        const frame = frameOf(day, count, objects.slice(at, at + OBJECTS_PER_FRAME))
        writeWhole(fd, frame, length)
        length += frame.length
      }
    }
  }
  fsyncSync(fd)
  renameSync(`${path}.new`, path)
  return { fd, length }
}

function byCount(counts: Map<number, number>): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [object, count] of counts) {
    const group = groups.get(count)
    if (group === undefined) groups.set(count, [object])
    else group.push(object)
  }
  return groups
}

function frameOf(day: number, delta: number, objects: number[]): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + objects.length * ID_BYTES)
  frame.writeUInt32LE(objects.length, 4)
  frame.writeUInt32LE(day, 8)
  frame.writeInt32LE(delta, 12)
  let at = HEADER_BYTES
  for (const object of objects) at = frame.writeDoubleLE(object, at)
  frame.writeUInt32LE(crc32(frame.subarray(4)), 0)
  return frame
}

function writeWhole(fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(fd, bytes, at, bytes.length - at, position + at)
  }
}

/** Yesterday's counters still matter to a request that began before midnight; older ones to nobody. */
function keepTwoNewest(days: Days): void {
  const oldestFirst = [...days.keys()].sort((a, b) => a - b)
  for (const day of oldestFirst.slice(0, -2)) days.delete(day)
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

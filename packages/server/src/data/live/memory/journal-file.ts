import {
  closeSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { HUNDREDTHS_PER_UNIT } from '../../../base/domain/limits.ts'
import { type Amounts, amountAt } from '../realtime.ts'

/*
 * This file has the counts of the daily quota in memory, by pages of ids, and the file of frames that keeps them.
 */

/**
 * Values by id, in pages of neighboring ids. Ids are given out in order, so most places of a page are in use and an
 * organization's objects are next to each other. A look-up of cold data waits for memory once; in a `Map` it waits
 * three or four times. The price: an id without neighbors takes a whole page.
 */
type IdPages<Page> = {
  find(id: number): Page | undefined
  /** Creates the page if there is none. */
  of(id: number): Page
  entries(): Iterable<readonly [firstId: number, page: Page]>
}

const IDS_PER_PAGE = 64

/** The index of an id in its page. */
function indexInPage(id: number): number {
  return id % IDS_PER_PAGE
}

function idPages<Page>(make: () => Page): IdPages<Page> {
  const pages = new Map<number, Page>()
  // Keeps the last page, because callers ask for neighbors one after the other.
  let lastFirst = -1
  let last: Page | undefined

  function find(id: number): Page | undefined {
    const first = id - indexInPage(id)
    if (first === lastFirst) return last
    const page = pages.get(first)
    if (page !== undefined) {
      lastFirst = first
      last = page
    }
    return page
  }

  function add(id: number): Page {
    const page = make()
    pages.set(id - indexInPage(id), page)
    return page
  }

  return { find, of: (id) => find(id) ?? add(id), entries: () => pages }
}

const HEADER_BYTES = 16

const VALUE_BYTES = 8

/** Added to the day of a frame with amounts. Most charges are of whole units, whose frames have half the bytes. */
const AMOUNTS_MARK = 2 ** 31

const OBJECTS_PER_FRAME = 1_000

/**
 * Today, yesterday for a request that began before midnight, and one more, so that today's counters survive a system
 * clock that was wrong for a short time.
 */
const DAYS_KEPT = 3

/** One charge before it is encoded. */
export type Frame = { amounts: Amounts; factor: number }

type Days = Map<number, DayCounts>

export type ReadonlyDays = ReadonlyMap<number, Counted>

export function countsOf(days: Days, day: number): DayCounts {
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
export function add(days: Days, { amounts, factor }: Frame): number {
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
export function replay(path: string): Days {
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
export function rewrite(path: string, days: ReadonlyDays): JournalFile {
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

export function frameOf({ amounts: { objects, hundredths, day }, factor }: Frame): Buffer {
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

export function writeWhole(fd: number, bytes: Buffer, position: number): void {
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

export async function syncFile(file: JournalFile): Promise<void> {
  const sync = () => promisify(fsync)(file.fd)
  file.syncing = file.syncing.then(sync).catch(() => {
    file.hasHole = true
  })
  await file.syncing
}

/** Closes it once no sync uses it. */
export function closeUnused({ fd, syncing }: JournalFile): void {
  void syncing.then(() => closeSync(fd))
}

/** Objects with their counters in hundredths. */
export type Counted = Iterable<readonly [object: number, hundredths: number]>

/** The counter of each object, in order; 0 if it was never charged. */
export type DayCounts = Counted & {
  get(object: number): number
  /** Returns the new value of the counter. */
  add(object: number, delta: number): number
}

/**
 * The counters of a day, in pages by id. Ids of one organization are close together, so a charge touches
 * a few pages; in a `Map` the cache misses would take most of the time of a charge of many objects. A
 * page takes about 750 bytes.
 */
export function dayCounts(): DayCounts {
  const pages = idPages(() => new Float64Array(IDS_PER_PAGE))

  return {
    get: (object) => pages.find(object)?.[indexInPage(object)] ?? 0,
    add(object, delta) {
      const page = pages.of(object)
      const count = page[indexInPage(object)]! + delta
      page[indexInPage(object)] = count
      return count
    },
    *[Symbol.iterator]() {
      for (const [first, page] of pages.entries()) {
        // `entries()` would make an array for each counter.
        for (let i = 0; i < IDS_PER_PAGE; i += 1) {
          const count = page[i]!
          if (count !== 0) yield [first + i, count]
        }
      }
    },
  }
}

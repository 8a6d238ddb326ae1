import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Direct reads need memory that begins at a page. Of all memory in JavaScript only this does. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
}
const PAGE_OF_MEMORY_BYTES = 65_536
/** Pages in one read: 1 MiB, which the event loop checks in 1 ms. */
const CHUNK_PAGES = 16

/**
 * Opens a file past the page cache. Null if the system or the file system cannot do that; `release` then gets
 * the handle, if there is one.
 */
export async function openDirect(
  file: string,
  flags: number,
  memory: Buffer,
  release: (handle: FileHandle) => Promise<void> | void = (handle) => handle.close(),
): Promise<FileHandle | null> {
  if (constants.O_DIRECT === undefined) return null
  let handle: FileHandle | undefined
  try {
    handle = await open(file, flags | constants.O_DIRECT)
    await handle.read(memory, 0, memory.length, 0)
    return handle
  } catch (error) {
    if (handle !== undefined) await release(handle)
    if ((error as NodeJS.ErrnoException).code === 'EINVAL') return null
    throw error
  }
}

/** Memory for direct reads and writes, 1 MiB of zeros. */
export function pagesOfMemory(): Buffer {
  const pages = new WebAssembly.Memory({ initial: CHUNK_PAGES, maximum: CHUNK_PAGES })
  return Buffer.from(pages.buffer, 0, CHUNK_PAGES * PAGE_OF_MEMORY_BYTES)
}

/**
 * Fills what a failed checkpoint has left of the database. A new block that ext4 could not write stays a
 * hole, however often its page is written again: later syncs succeed, and the disk keeps zeros. A direct
 * write makes it a block like others. See "Commits and syncs" in docs/design/sqlite.md.
 */
type HoleFiller = {
  /**
   * Fills the holes among the pages that the frames of the log from `from` to `to` will overwrite. Nobody
   * reads these pages in the database any more, and nobody else may checkpoint meanwhile.
   */
  fill(from: number, to: number): Promise<void>
  /** To be called after SQLite has closed the database. */
  close(): Promise<void>
}

const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const FRAMES_AT_ONCE = 256

export function openHoleFiller(database: string): HoleFiller {
  let direct: FileHandle | null | undefined
  /** Stay open: the system takes all locks of a process on a file when the process closes it once. */
  const handles: FileHandle[] = []

  return {
    async fill(from, to) {
      if (from >= to) return
      const memory = pagesOfMemory()
      if (direct === undefined) {
        direct = await openDirect(database, constants.O_RDWR, memory, (handle) => {
          handles.push(handle)
        })
      }
      if (direct === null) return
      const { pageBytes, pages } = await pagesInLog(`${database}-wal`, from, to)
      for (const { first, count } of runsOf(pages, memory.length / pageBytes)) {
        const position = (first - 1) * pageBytes
        const { bytesRead } = await direct.read(memory, 0, count * pageBytes, position)
        for (let at = 0; at < bytesRead; at += pageBytes) {
          if (!isZero(memory.subarray(at, at + pageBytes))) continue
          await direct.write(memory, at, pageBytes, position + at)
        }
      }
    },
    async close() {
      for (const handle of [...handles, direct]) await handle?.close()
    },
  }
}

/** The pages of the database that some frames of a log hold, in order. */
async function pagesInLog(
  file: string,
  from: number,
  to: number,
): Promise<{ pageBytes: number; pages: number[] }> {
  await using log = await open(file)
  const header = Buffer.alloc(LOG_HEADER_BYTES)
  await log.read(header, 0, LOG_HEADER_BYTES, 0)
  const pageBytes = header.readUInt32BE(8)
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const pages = new Set<number>()
  const frames = Buffer.alloc(FRAMES_AT_ONCE * frameBytes)
  for (let frame = from; frame < to; frame += FRAMES_AT_ONCE) {
    const wanted = Math.min(FRAMES_AT_ONCE, to - frame) * frameBytes
    const { bytesRead } = await log.read(frames, 0, wanted, LOG_HEADER_BYTES + frame * frameBytes)
    for (let at = 0; at < bytesRead; at += frameBytes) pages.add(frames.readUInt32BE(at))
  }
  return { pageBytes, pages: [...pages].sort((a, b) => a - b) }
}

type Run = { first: number; count: number }

/** Runs of neighboring pages, each of at most `most` pages. */
function* runsOf(pages: readonly number[], most: number): Generator<Run> {
  let run: Run | undefined
  for (const page of pages) {
    if (run !== undefined && page === run.first + run.count && run.count < most) {
      run.count += 1
      continue
    }
    if (run !== undefined) yield run
    run = { first: page, count: 1 }
  }
  if (run !== undefined) yield run
}

function isZero(page: Buffer): boolean {
  return page.every((byte) => byte === 0)
}

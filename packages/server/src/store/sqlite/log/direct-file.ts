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

import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from './own-file.ts'
import { syncFolder } from './replace-file.ts'

/** A file to which rows are only added, after its known contents. */
export type GrowingFile = {
  /** Bytes of the file without its tail, including added text. */
  bytes(): number
  /** Bytes of text that is not on the disk yet. */
  waiting(): number
  add(text: string): void
  /** Resolves when all added text and the tail are on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a file whose first `bytes` are known to be right, and cuts off what a killed process wrote after
 * them. Creates the file if nothing is known. Rejects if the file is shorter, because rows are missing
 * then.
 */
export async function openGrowingFile(
  path: string,
  bytes: number,
  tail: string,
): Promise<GrowingFile> {
  const handle = await openOrMake(path, bytes)
  let end = bytes
  let parts: string[] = []
  let waiting = 0

  async function sync(): Promise<void> {
    const text = parts.join('')
    const body = Buffer.from(text + tail)
    parts = []
    waiting = 0
    await writeAll(handle, body, end)
    end += body.length - Buffer.byteLength(tail)
    await handle.truncate(end + Buffer.byteLength(tail))
    await handle.datasync()
  }

  try {
    await sync()
    await syncFolder(dirname(path))
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    bytes: () => end + waiting,
    waiting: () => waiting,
    add(text) {
      parts.push(text)
      waiting += Buffer.byteLength(text)
    },
    sync,
    close: () => handle.close(),
  }
}

async function openOrMake(path: string, bytes: number): Promise<FileHandle> {
  const handle = await openOwnFile(path, 'change').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && bytes === 0) return openOwnFile(path, 'make')
    if (error.code === 'ENOENT')
      throw new Error(`${path} is gone: put it back, or take another --out`)
    throw error
  })
  const { size } = await handle.stat()
  if (size >= bytes) return handle
  await handle.close()
  throw new Error(`${path} has become shorter: put back what it was, or take another --out`)
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

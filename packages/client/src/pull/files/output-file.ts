import { writeSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from './own-file.ts'
import { syncFolder } from './sync-folder.ts'

/** A file that replaces an older version when it is complete and on the disk. */
export type OutputFile = {
  /** Writes the bytes before it returns, so the caller may use their memory again. */
  write(bytes: Uint8Array): void
  /** Resolves when the new file has replaced the old one. */
  finish(): Promise<void>
  /** Keeps the old file unchanged. */
  abandon(): Promise<void>
}

/** `next`: the path of the unfinished file, on the same disk. */
export async function openOutputFile(path: string, next: string): Promise<OutputFile> {
  const handle = await openOwnFile(next, 'replace')
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle.fd, bytes, at)
    },
    async finish() {
      await handle.sync().finally(() => handle.close())
      await rename(next, path)
      await syncFolder(dirname(path))
    },
    abandon: () => handle.close(),
  }
}

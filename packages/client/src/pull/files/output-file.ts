import { writeSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from './own-file.ts'
import { syncFolder } from './sync-folder.ts'

/** A file that takes the place of another one when it is complete and on the disk. */
export type OutputFile = {
  /** Writes the bytes before it returns, so the caller may use their memory again. */
  write(bytes: Uint8Array): void
  /** Resolves when the file is in its place. */
  finish(): Promise<void>
  /** Leaves the file in its place as it is. */
  abandon(): Promise<void>
}

/** `next`: where the file grows, in a folder of the same disk. */
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

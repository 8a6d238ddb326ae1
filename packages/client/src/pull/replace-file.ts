import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from './own-file.ts'

/** Puts a text in the place of a file: whatever happens, the old one or the new one is there, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`
  const handle = await openOwnFile(next, 'replace')
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(next, path)
  await syncFolder(dirname(path))
}

/** That a file is there, by this name, is on the disk as well. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder, and has no need to.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

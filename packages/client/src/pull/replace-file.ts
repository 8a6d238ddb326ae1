import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from './own-file.ts'

/** Replaces a file by a text. Whatever happens, either the old or the new file is there, complete. */
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

/** Sync the folder, so that the name is on the disk as well. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and need not.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

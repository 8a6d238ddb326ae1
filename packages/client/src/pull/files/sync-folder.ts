import { open } from 'node:fs/promises'

/** Brings new names in a folder onto the disk. */
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

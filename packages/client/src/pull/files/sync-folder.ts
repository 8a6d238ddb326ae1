import { open } from 'node:fs/promises'

/** Syncs a folder, so that new file names in it survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not require this.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

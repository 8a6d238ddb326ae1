import { open } from 'node:fs/promises'

/** A file's name is on the disk once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

import { link, readFile, rename, rm } from 'node:fs/promises'
import { openOwnFile } from './own-file.ts'

/**
 * Locks a folder for one process, because a second one would write into the same files. Takes over the lock of a
 * killed process, which no running process has the number of. Resolves with a function that releases the lock.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  for (;;) {
    if (await tryMake(path)) return () => rm(path, { force: true })
    const holder = await holderOf(path)
    if (holder !== undefined && isAlive(holder)) {
      throw new Error(
        `another pull (process ${holder}) is using the folder; if that process is not a pull, remove ${path}`,
      )
    }
    await takeAway(path)
  }
}

async function tryMake(path: string): Promise<boolean> {
  // Link the complete file: a lock without a holder would count as that of a killed process.
  const own = `${path}.${process.pid}`
  const handle = await openOwnFile(own, 'replace')
  await handle.writeFile(`${process.pid}\n`).finally(() => handle.close())
  try {
    await link(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

async function holderOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return /^\d+\n$/.test(text) ? Number(text) : undefined
}

/** In a container a process may have the number of its killed predecessor. */
function isAlive(holder: number): boolean {
  if (holder === process.pid) return false
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Move it away first: it may be the new lock of a process that was faster. */
async function takeAway(path: string): Promise<void> {
  const own = `${path}.${process.pid}`
  try {
    await rename(path, own)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const holder = await holderOf(own)
  if (holder !== undefined && isAlive(holder)) await rename(own, path)
  else await rm(own, { force: true })
}

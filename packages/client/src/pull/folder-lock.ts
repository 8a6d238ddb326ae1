import { link, readFile, rename, rm } from 'node:fs/promises'
import { openOwnFile } from './own-file.ts'

/**
 * Holds a folder for one process: a second one would write into the same files. What a killed process
 * left is taken over, because nobody has its number any more. Resolves with what gives the folder free.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  for (;;) {
    if (await tryMake(path)) return () => rm(path, { force: true })
    const holder = await holderOf(path)
    if (holder !== undefined && isAlive(holder)) {
      throw new Error(
        `another pull, process ${holder}, is at work there; if it is none, remove ${path}`,
      )
    }
    await takeAway(path)
  }
}

async function tryMake(path: string): Promise<boolean> {
  // Linked when it is whole: a lock without its holder would be taken for one that was left.
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

/** In a container a process may have the number that its killed predecessor had. */
function isAlive(holder: number): boolean {
  if (holder === process.pid) return false
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Under a name of one's own first, since what lies there by now may be another's who was faster. */
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

import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_TRUNC } = constants

const FLAGS = {
  read: O_RDONLY,
  change: O_RDWR,
  make: O_RDWR | O_CREAT | O_EXCL,
  replace: O_RDWR | O_CREAT | O_TRUNC,
}

/**
 * Opens a file of a pull. Only the owner may read a new file. Rejects for a symbolic link, with which
 * others who may write to the folder could make a pull overwrite any file of its user.
 */
export async function openOwnFile(path: string, way: keyof typeof FLAGS): Promise<FileHandle> {
  try {
    // Windows has no such flag.
    return await open(path, FLAGS[way] | (O_NOFOLLOW ?? 0), 0o600)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? linkError(path) : error
  }
}

/** Creates a folder and its parents for their owner only. Rejects if it is a symbolic link. */
export async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if ((await lstat(path)).isSymbolicLink()) throw linkError(path)
}

export function linkError(path: string): Error {
  return new Error(
    `${path} is a symbolic link, and pull writes only inside --out: remove the link, or use another --out`,
  )
}

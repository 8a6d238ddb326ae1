import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backup as copyPages, DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE, ownFile } from './data-folder.ts'
import type { Database } from './database.ts'
import { syncFolder } from './sync-folder.ts'
import { asUnavailable, damaged } from './unavailable.ts'

/** Pages of one step, 4 MiB, which a thread of its own copies. */
const STEP_PAGES = 1_024
const UNFINISHED = 'fleetgate.db.unfinished'

/**
 * Copies the database as it stands at the call. The copy gets its name when it is whole, sound and on
 * the disk, so that one that was cut short is never taken for a data folder, and damage is found while
 * there are older backups.
 */
export async function backUp(
  { file }: Database,
  folder: string,
  progress: (done: number, total: number) => void = () => {},
  beside: () => Promise<void> = async () => {},
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) {
    throw new Error(`The backup folder ${folder} is not empty: name an empty or a new one.`)
  }
  const unfinished = ownFile(folder, UNFINISHED)
  try {
    await copy(file, unfinished, progress)
    assertSound(unfinished)
    await beside()
    await rename(unfinished, join(folder, DATABASE_FILE))
    await syncFolder(folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw asUnavailable(error)
  }
}

async function copy(
  file: string,
  target: string,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true })
  try {
    // An open read transaction: without one, every write of others starts the copy anew.
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    const pages = await copyPages(source, target, {
      rate: STEP_PAGES,
      progress: ({ totalPages, remainingPages }) =>
        progress(totalPages - remainingPages, totalPages),
    })
    progress(pages, pages)
  } finally {
    source.close()
  }
}

/** Reads every row, 100 MB and 800,000 of them a second. */
function assertSound(file: string): void {
  // One that only reads would leave its log behind.
  using database = new DatabaseSync(file)
  const [first] = database.prepare('PRAGMA integrity_check(1)').all()
  if (first?.integrity_check !== 'ok') throw damaged(first?.integrity_check)
}

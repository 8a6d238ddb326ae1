import { once } from 'node:events'
import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../../engine/store/store.ts'
import type { OnShrinking, Shrunk } from '../../engine/store/store-status.ts'
import { databaseFile } from './data-folder.ts'
import { openDatabase } from './database/database.ts'
import { asUnavailable } from './unavailable.ts'

const LOOK_EVERY_MS = 200

/**
 * Writes the database of a data folder again, without its free pages, and empties its log. Afterwards no file has a deleted
 * row. If the program is killed, the database stays as it was. Rejects with `StoreUnavailable`.
 */
export async function shrinkFolder(folder: string, onProgress: OnShrinking): Promise<Shrunk> {
  const file = databaseFile(folder)
  const before = bytesOf(file)
  const look = () =>
    onProgress({ part: 'the database', done: bytesOf(`${file}-wal`), total: before })
  const database = await openDatabase(file)
  const looking = setInterval(look, LOOK_EVERY_MS)
  try {
    await rewrite(file)
    // An unsynced log is not checkpointed.
    await database.synced()
  } finally {
    clearInterval(looking)
    await database.close()
  }
  if (bytesOf(`${file}-wal`) > 0) {
    throw new StoreUnavailable(
      `Another program has the data folder ${folder} open, so its log cannot be emptied: stop that program, and try again.`,
    )
  }
  return { before, after: bytesOf(file), log: 'cleared', skipped: [] }
}

/** The statement takes seconds or minutes, so it runs on a thread. */
async function rewrite(file: string): Promise<void> {
  const program = new URL(`./shrink-thread${extname(import.meta.url)}`, import.meta.url)
  try {
    await once(new Worker(program, { workerData: file }), 'exit')
  } catch (error) {
    throw asUnavailable(error)
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

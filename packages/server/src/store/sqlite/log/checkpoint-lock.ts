import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ownFile } from '../database/data-folder.ts'
import { retryWhileBusy } from '../database/retry-while-busy.ts'

const LOCK_FILE = 'checkpoint.lock'

/** Waits until no other process checkpoints a database, and keeps them from it until it is disposed. */
export async function lockCheckpoints(database: string): Promise<Disposable> {
  const lock = new DatabaseSync(ownFile(dirname(database), LOCK_FILE), { timeout: 0 })
  try {
    await retryWhileBusy(() => lock.exec('BEGIN IMMEDIATE'))
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

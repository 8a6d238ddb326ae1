import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The result of a pass: the number of pages in the log, and how many of them are now in the database. */
export type Pass = { log: number; checkpointed: number }

// Each message asks for one pass over the current log.
const database = new DatabaseSync(workerData as string, { timeout: 5_000 })
// Opens the log.
database.prepare('PRAGMA user_version').get()
const pass = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
parentPort!.on('message', () => {
  let result: Pass | null = null
  try {
    const { log, checkpointed } = pass.get() as Pass
    result = { log, checkpointed }
  } catch {
    // Report no result. The caller asks for the next pass anyway.
  }
  parentPort!.postMessage(result)
})
parentPort!.postMessage(null)

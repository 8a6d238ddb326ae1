import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The result of a pass: pages in the log, and how many of them the database has now. */
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
    // The next pass is asked for as if this one had not been.
  }
  parentPort!.postMessage(result)
})
parentPort!.postMessage(null)

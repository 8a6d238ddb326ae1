import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const PATIENCE_MS = 30_000

// The program checkpoints afterwards: its checkpoint also fills the holes that a failed one left.
const database = new DatabaseSync(workerData as string, { timeout: PATIENCE_MS })
database.exec('PRAGMA wal_autocheckpoint = 0; VACUUM')
database.close()

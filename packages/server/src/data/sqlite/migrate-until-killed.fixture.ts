import { databaseFile } from './data-folder.ts'
import { openDatabase } from './database/database.ts'
import { MIGRATIONS, migrate } from './schema.ts'

/** Migrates the given data folder by a further migration, and stays in its middle. */
const database = await openDatabase(databaseFile(process.argv[2]!))
await migrate(database, [
  ...MIGRATIONS,
  (writer) => {
    writer.exec(`CREATE TABLE half (a INTEGER); UPDATE sites SET name = 'half'`)
    process.send?.('in the middle')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
])

import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { packFix } from '../packages/server/src/base/domain/position/fix-record.ts'
import { packetAt } from './feed-packets.ts'

/**
 * The loop that the feed is compared with: the same rows, ready to be bound, inserted into a table of the same
 * shape, each batch in one synced transaction. Arguments: number of batches, rows of each. Sends its rate.
 */
const [batches, size] = process.argv.slice(2).map(Number) as [number, number]
const COUNTERS = { odometer: 84_000_000_000, mileage: 5_000_000, engineHours: 3_600_000 }

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const database = new DatabaseSync(join(folder.path, 'bare.db'))
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE positions (
    organization INTEGER NOT NULL, object INTEGER NOT NULL, time_device INTEGER NOT NULL,
    change INTEGER NOT NULL, fix BLOB NOT NULL, track BLOB, hidden INTEGER,
    PRIMARY KEY (organization, object, time_device)
  ) STRICT, WITHOUT ROWID`)
const insert = database.prepare(
  'INSERT INTO positions (organization, object, time_device, change, fix) VALUES (1, ?, ?, ?, ?)',
)
const rows = Array.from({ length: batches }, (_, step) =>
  Array.from({ length: size }, (_, vehicle) => {
    const fix = packetAt(vehicle, step)
    return { vehicle, time: fix.timeDevice, record: packFix(fix, COUNTERS) }
  }),
)
const cpu = process.cpuUsage()
const start = performance.now()
for (const [step, batch] of rows.entries()) {
  database.exec('BEGIN IMMEDIATE')
  for (const { vehicle, time, record } of batch) insert.run(vehicle, time, step, record)
  database.exec('COMMIT')
}
const seconds = (performance.now() - start) / 1000
const { user, system } = process.cpuUsage(cpu)
database.close()
process.send!({
  perSecond: (batches * size) / seconds,
  perProcessorSecond: (batches * size * 1e6) / (user + system),
})

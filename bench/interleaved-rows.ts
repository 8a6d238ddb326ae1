import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../packages/server/src/compose.ts'
import { asStored, FIX_RECORD_LIMIT, writeFix } from '../packages/server/src/domain/fix-record.ts'
import { handedClock } from '../packages/server/src/domain/handed-clock.ts'
import { UNSEEN } from '../packages/server/src/domain/object-state.ts'
import { packState } from '../packages/server/src/domain/state-record.ts'
import { packTrack } from '../packages/server/src/domain/track-record.ts'
import type { TrackedObject } from '../packages/server/src/domain/tracked-object.ts'
import { afterInOrder } from '../packages/server/src/store/folding/state-in-order.ts'
import { DATABASE_FILE } from '../packages/server/src/store/sqlite/data-folder.ts'
import { trackingRules } from '../packages/server/src/tracking/rules.ts'
import { driveEnd, driveFix } from './drive.ts'
import { progress } from './report.ts'
import { addTenants, type Tenant } from './tenants.ts'

export type Loaded = {
  tenants: Tenant[]
  rows: number
  /** What the rows alone took, and the size of the database with them. */
  seconds: number
  bytes: number
}

/** The table is written once, front to back, by a process that nobody waits for. */
const WHILE_LOADING = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -524288;`
/** How often it is told how far the loading has come. */
const TOLD = 10
/** One packet of every object that there is, each behind those that it has. */
const INSERT = `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  SELECT organization, id, ?, ?, ?, ?, ? FROM objects ORDER BY organization, id`
const SAVE_STATES = `
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at)
  SELECT organization, id, ?, ?, ?, ? FROM objects`
const SAVE_CHANGES = `
  INSERT INTO changes (organization, topic, sequence) SELECT id, 'states', ? FROM organizations`

/**
 * Fills an empty data folder as a live fleet does: every second a fix of each object, so that the
 * neighbours of a row in time lie far from it in the table, which grows everywhere at once. All drive
 * the same drive, which is folded once: a row is what an append would have left.
 */
export async function loadInterleaved(
  folder: string,
  objects: number,
  rowsEach: number,
): Promise<Loaded> {
  const store = await openStore({ folder })
  const tenants = await addTenants(store, objects)
  const [object] = (await store.objects.list(tenants[0]!.organization)) as [TrackedObject]
  await store.close()
  const file = join(folder, DATABASE_FILE)
  const begun = performance.now()
  using database = new DatabaseSync(file)
  database.exec(WHILE_LOADING)
  writeRows(database, object, rowsEach)
  const seconds = (performance.now() - begun) / 1000
  return { tenants, rows: objects * rowsEach, seconds, bytes: statSync(file).size }
}

function writeRows(database: DatabaseSync, object: TrackedObject, rows: number): void {
  const insert = database.prepare(INSERT)
  const rules = trackingRules(handedClock(driveEnd(rows) * 1000))
  const scratch = Buffer.alloc(FIX_RECORD_LIMIT)
  let change = newestChange(database)
  let state = UNSEEN
  database.exec('BEGIN')
  for (let i = 0; i < rows; i++) {
    if (i > 0 && i % (rows / TOLD) === 0) progress(`${(100 * i) / rows} %`)
    const fix = asStored(driveFix(i))
    const step = rules.advance(state.track, object, fix)
    state = afterInOrder(state, fix, step)
    change += 1
    const record = scratch.subarray(0, writeFix(scratch, fix, step.track))
    const hidden = step.hidden ? change : null
    insert.run(fix.timeDevice, change, hidden, record, packTrack(step.track, fix))
  }
  const { lastFix, numbers, address, addressAt } = packState(state)
  database.prepare(SAVE_STATES).run(lastFix, numbers, address, addressAt)
  database.prepare(SAVE_CHANGES).run(change)
  database.prepare('UPDATE deployment SET sequence = ?').run(change)
  database.exec('COMMIT')
}

function newestChange(database: DatabaseSync): number {
  return Number(database.prepare('SELECT sequence FROM deployment').get()!.sequence)
}

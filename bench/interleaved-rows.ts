import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MonitoredObject } from '../packages/server/src/base/domain/monitored-object.ts'
import {
  asStored,
  FIX_RECORD_LIMIT,
  writeFix,
} from '../packages/server/src/base/domain/position/fix-record.ts'
import { packState, UNSEEN } from '../packages/server/src/base/domain/position/object-state.ts'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { afterInOrder } from '../packages/server/src/engine/tracking/derive-object-state.ts'
import { foldRules, RULES_VERSION } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { packRowFold } from '../packages/server/src/engine/tracking/stored-position.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { handedClock } from '../packages/server/testing/handed-clock.ts'
import { driveEnd, driveFix } from './drive.ts'
import { progress } from './report.ts'
import { addTenants, type Tenant } from './tenants.ts'

export type Loaded = {
  tenants: Tenant[]
  rows: number
  /** Seconds for the rows alone, and the size of the database with them. */
  seconds: number
  bytes: number
}

/** One process writes the table once, from front to back, and no client waits for it. */
const WHILE_LOADING = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -524288;`
/** Number of progress messages during loading. */
const MAX_REPORTED = 10
/** One packet of every object, each after the object's earlier packets. */
const INSERT = `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  SELECT organization, id, ?, ?, ?, ?, ? FROM objects ORDER BY organization, id`
const SAVE_STATES = `
  INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at, rules)
  SELECT organization, id, ?, ?, ?, ?, ${RULES_VERSION} FROM objects`
const SAVE_CHANGES = `
  INSERT INTO changes (organization, topic, sequence) SELECT id, 'states', ? FROM organizations`

/**
 * Fills an empty data folder as a live fleet does: every second one fix of each object, so that consecutive rows
 * of an object are far apart in the table, which grows everywhere at once. All objects drive the same drive,
 * which is folded once. The rows equal those of an append.
 */
export async function loadInterleaved(
  folder: string,
  objects: number,
  rowsEach: number,
): Promise<Loaded> {
  const store = await openStore({ folder })
  const tenants = await addTenants(store, objects)
  const [object] = (await store.objects.list(tenants[0]!.organization)) as [MonitoredObject]
  await store.close()
  const file = join(folder, DATABASE_FILE)
  const begun = performance.now()
  using database = new DatabaseSync(file)
  database.exec(WHILE_LOADING)
  writeRows(database, object, rowsEach)
  const seconds = (performance.now() - begun) / 1000
  return { tenants, rows: objects * rowsEach, seconds, bytes: statSync(file).size }
}

function writeRows(database: DatabaseSync, object: MonitoredObject, rows: number): void {
  const insert = database.prepare(INSERT)
  const rules = foldRules(handedClock(driveEnd(rows) * 1000))
  const scratch = Buffer.alloc(FIX_RECORD_LIMIT)
  let change = newestChange(database)
  let state = UNSEEN
  database.exec('BEGIN')
  for (let i = 0; i < rows; i++) {
    if (i > 0 && i % (rows / MAX_REPORTED) === 0) progress(`${(100 * i) / rows} %`)
    const fix = asStored(driveFix(i))
    const step = rules.advance(state.fold, object, fix)
    state = afterInOrder(state, fix, step)
    change += 1
    const record = scratch.subarray(
      0,
      writeFix(scratch, fix, step.fold, { motion: step.fold.motion, isLate: false }),
    )
    const hidden = step.hidden ? change : null
    insert.run(fix.timeDevice, change, hidden, record, packRowFold(step.fold, fix))
  }
  const { lastFix, numbers, address, addressAt } = packState(state)
  database.prepare(SAVE_STATES).run(lastFix, numbers, address, addressAt)
  database.prepare(SAVE_CHANGES).run(change)
  database.exec('COMMIT')
}

function newestChange(database: DatabaseSync): number {
  return Number(database.prepare('SELECT sequence FROM newest_change').get()!.sequence)
}

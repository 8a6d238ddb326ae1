/**
 * Loads a database as a live fleet fills it: one fix of every object each minute, ordered by time, folded by the
 * production code. Rows, states and sequences equal those of the feed.
 *
 * node postgres-load.ts postgres://… [positions, default 100,000,000]
 */
import pg from 'pg'
import {
  type MonitoredObject,
  OBJECT_DEFAULTS,
} from '../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import {
  FIX_RECORD_LIMIT,
  packFix,
  writeFix,
} from '../packages/server/src/base/domain/position/fix-record.ts'
import {
  type ObjectState,
  packNumbers,
  UNSEEN,
} from '../packages/server/src/base/domain/position/object-state.ts'
import { copyIn } from '../packages/server/src/data/postgres/connection/copy-blocks.ts'
import { openPostgresStore } from '../packages/server/src/data/postgres/open.ts'
import { afterInOrder } from '../packages/server/src/engine/tracking/derive-object-state.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { packRowFold } from '../packages/server/src/engine/tracking/stored-position.ts'
import { handedClock } from '../packages/server/testing/handed-clock.ts'
import { driveFix } from './drive.ts'
import { given, progress } from './report.ts'

/** 17 days of each object: a history of 10,000 rows can start anywhere in them. */
const ROWS_EACH = 25_000
const INTERVAL_MS = 60_000
const OBJECTS_EACH = 10
/** Rows of one COPY, which is one transaction and one change for every organization. */
const BATCH = 1_000_000
const BLOCK_BYTES = 256 * 1024
/** A cycle of different fixes; each object starts at its own place in it. */
const ROUND = 7_200
/** Size of a tuple without its two byte values: https://www.postgresql.org/docs/15/sql-copy.html */
const TUPLE_BYTES = 2 + 4 * 12 + 4 + 2 * 4
const TRACK_LIMIT = 64

type Loaded = { object: MonitoredObject; state: ObjectState }

const [url, wanted = '100000000'] = given
if (url === undefined) throw new Error('the URL of a database is missing')
const fleet = await makeFleet(Math.max(1, Math.round(Number(wanted) / ROWS_EACH)))
const end = Math.floor(Date.now() / INTERVAL_MS) * INTERVAL_MS
const start = end - ROWS_EACH * INTERVAL_MS
const rules = foldRules(handedClock(end * 1_000))
const round = Array.from({ length: ROUND }, (_, second) => driveFix(second * 60))
const scratch = Buffer.alloc(FIX_RECORD_LIMIT)

const client = new pg.Client({ connectionString: url })
await client.connect()
await load()
await client.end()

/** Creates the organizations and objects through the store. */
async function makeFleet(count: number): Promise<Loaded[]> {
  const store = await openPostgresStore(url!)
  const made: Loaded[] = []
  while (made.length < count) {
    const named = { ...ORGANIZATION_DEFAULTS, name: `Organization ${made.length}` }
    const { id } = await store.organizations.create(named, Date.now())
    const entries = Array.from({ length: Math.min(OBJECTS_EACH, count - made.length) }, (_, i) => {
      const ident = String(350_000_000_000_000 + made.length + i)
      return { ...OBJECT_DEFAULTS, name: `Van ${ident}`, ident }
    })
    await store.objects.put(id, entries, Date.now())
    for (const object of await store.objects.list(id)) made.push({ object, state: UNSEEN })
  }
  await store.close()
  return made
}

async function load(): Promise<void> {
  const { rows } = await client.query('SELECT max(newest)::int AS newest FROM sequences')
  const before: number = rows[0].newest
  const ticks = Math.max(1, Math.floor(BATCH / fleet.length))
  const begun = performance.now()
  let change = before
  for (let tick = 0; tick < ROWS_EACH; tick += ticks) {
    change += 1
    const last = Math.min(ROWS_EACH, tick + ticks)
    const text = `COPY positions (organization, object, time_device, change, hidden, fix, track)
      FROM STDIN (FORMAT binary)`
    await copyIn(client, text, tuples(tick, last, change))
    const done = last * fleet.length
    const each = Math.round(done / ((performance.now() - begun) / 1_000))
    progress(`${done.toLocaleString('en')} rows, ${each.toLocaleString('en')} a second`)
  }
  await saveStates(before, change)
  progress('vacuuming, as autovacuum would have by and by')
  await client.query('VACUUM (ANALYZE) positions')
  await client.query('VACUUM (ANALYZE) object_states')
}

async function* tuples(from: number, to: number, change: number): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let length = 0
  for (let tick = from; tick < to; tick += 1) {
    for (const [index, loaded] of fleet.entries()) {
      if (length + TUPLE_BYTES + FIX_RECORD_LIMIT + TRACK_LIMIT > BLOCK_BYTES) {
        yield block.subarray(0, length)
        block = Buffer.allocUnsafe(BLOCK_BYTES)
        length = 0
      }
      length = writeTuple(block, length, loaded, fixOf(index, tick), change)
    }
  }
  yield block.subarray(0, length)
}

function fixOf(index: number, tick: number): Fix {
  const place = round[(tick + index * 977) % ROUND]!
  const time = start + tick * INTERVAL_MS
  return {
    ...bareFix(time, time + 400, place.latitude, place.longitude),
    altitude: place.altitude,
    angle: place.angle,
    speed: place.speed,
    hdop: place.hdop,
    gpsLevel: place.gpsLevel,
    ignition: true,
    address: place.address,
  }
}

/** Folds the fix, and writes its row; returns the end of the row. */
function writeTuple(out: Buffer, begin: number, loaded: Loaded, fix: Fix, change: number): number {
  const { object } = loaded
  const step = rules.advance(loaded.state.fold, object, fix)
  loaded.state = afterInOrder(loaded.state, fix, step)
  let at = out.writeInt16BE(7, begin)
  at = writeBigint(out, at, object.organization)
  at = writeBigint(out, at, object.id)
  at = writeBigint(out, at, fix.timeDevice)
  at = writeBigint(out, at, change)
  at = step.hidden ? writeBigint(out, at, change) : out.writeInt32BE(-1, at)
  const record = scratch.subarray(0, writeFix(scratch, fix, step.fold))
  at = writeBytes(out, at, record)
  return writeBytes(out, at, packRowFold(step.fold, fix))
}

function writeBigint(out: Buffer, begin: number, value: number): number {
  let at = out.writeInt32BE(8, begin)
  at = out.writeInt32BE(Math.floor(value / 2 ** 32), at)
  return out.writeUInt32BE(value >>> 0, at)
}

function writeBytes(out: Buffer, begin: number, bytes: Uint8Array): number {
  const at = out.writeInt32BE(bytes.length, begin)
  out.set(bytes, at)
  return at + bytes.length
}

/** Saves the states of the objects after the last of their rows. */
async function saveStates(before: number, newest: number): Promise<void> {
  for (const { object, state } of fleet) {
    const { lastFix, address } = state
    await client.query('INSERT INTO object_states VALUES ($1, $2, $3, $4, $5, $6)', [
      object.organization,
      object.id,
      lastFix === null ? null : packFix(lastFix, state.fold!),
      packNumbers(state),
      address?.value ?? null,
      address?.at ?? null,
    ])
  }
  await client.query('UPDATE sequences SET newest = $1, states = states + $2', [
    newest,
    newest - before,
  ])
}

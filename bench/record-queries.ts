/**
 * Measures a day of trips of 1,000 objects and a month of visits to one place, among the records of more than
 * 100,000,000 positions, on a data folder and on PostgreSQL: the time warm, and the pages read.
 */
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DerivedRecord, RecordPut } from '../packages/server/src/base/domain/record.ts'
import type {
  RecordProgress,
  RecordQuery,
} from '../packages/server/src/engine/store/record-store.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { openStore, type StoreLocation } from '../packages/server/src/run/compose.ts'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { addFedFleet, type FedFleet } from './fed-fleet.ts'
import { type Figure, isSmall, median, progress, report } from './report.ts'

const OBJECTS = isSmall ? 50 : 1_000
const DAYS = 30
/** An object has a trip and a stop in each of twelve hours of a day, and a visit to one of the places at each stop. */
const DRIVES = 12
const PLACES = 100
/** One position each 25 s: 103,680,000 in all. */
const POSITIONS = OBJECTS * DAYS * 3_456
const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 9, 1)
const OBJECTS_AT_ONCE = 20
const HOLDER = 'bench'
const TIMES = 9
/** PostgreSQL counts the pages of a connection some seconds after it has become idle. */
const COUNTED_AFTER_MS = 12_000

type Pages = () => Promise<number>

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const figures: Figure[] = []
await measure('SQLite', { folder: folder.path }, async () => ownBytes() / 4_096)
const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on' })
const database = await postgres.database()
const client = new pg.Client(database)
await client.connect()
await measure('PostgreSQL', { database }, async () => {
  await sleep(COUNTED_AFTER_MS)
  const { rows } = await client.query(
    'SELECT blks_hit + blks_read AS pages FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0].pages)
})
await client.end()
await postgres.stop()
report(`records of ${POSITIONS.toLocaleString('en')} positions`, figures)

async function measure(name: string, place: StoreLocation, pages: Pages) {
  progress(`${name}: filling`)
  const filling = await openStore(place)
  const { organization, ids } = await fill(filling)
  await filling.close()
  const day = START + 20 * DAY
  const all = { after: null, minDuration: 0, limit: 1_000_000 }
  const asked: [string, RecordQuery][] = [
    [
      `trips of a day of ${OBJECTS} objects`,
      { type: 'trips', objects: ids, range: { from: day, to: day + DAY }, places: null, ...all },
    ],
    [
      'visits of a month to one place',
      {
        ...{ type: 'visits', objects: null, ...all },
        range: { from: START, to: START + DAYS * DAY },
        places: { geofences: [], sites: [7] },
      },
    ],
  ]
  for (const [what, query] of asked) {
    progress(`${name}: ${what}`)
    // Nothing of it was read before.
    const store = await openStore(place)
    const before = await pages()
    const rows = (await store.records.page(organization, query)).length
    const read = (await pages()) - before
    const times: number[] = []
    for (let time = 0; time < TIMES; time += 1) {
      const begun = performance.now()
      await store.records.page(organization, query)
      times.push(performance.now() - begun)
    }
    await store.close()
    figures.push(
      { name: `${name}, ${what}, rows`, value: rows, unit: '' },
      { name: `${name}, ${what}, time`, value: median(times), unit: 'ms' },
      { name: `${name}, ${what}, pages`, value: Math.round(read), unit: '' },
    )
  }
}

async function fill(store: Store): Promise<FedFleet> {
  const now = Date.now()
  const fleet = await addFedFleet(store, OBJECTS)
  const { organization, ids } = fleet
  await store.records.lease(HOLDER, HOUR, [organization])
  let progressed: RecordProgress | null = null
  let id = 0
  for (let from = 0; from < OBJECTS; from += OBJECTS_AT_ONCE) {
    const objects = ids.slice(from, from + OBJECTS_AT_ONCE).map((object) => {
      const puts = recordsOf(object).map((record): RecordPut => {
        id += 1
        const about = { id, revision: 1, updatedAt: now, before: null, isChanged: true }
        return { ...about, record, checkpoint: null, isInTail: false }
      })
      return { object, puts, deletes: [], tail: { open: [], progress: new Uint8Array(200) } }
    })
    const to: RecordProgress = { seq: 1, at: now, lastId: id }
    const work = { from: progressed, to, objects, tasks: [], doneTasks: [] }
    progressed = await store.records.apply(organization, HOLDER, work)
  }
  return fleet
}

function recordsOf(object: number): DerivedRecord[] {
  const records: DerivedRecord[] = []
  for (let drive = 0; drive < DAYS * DRIVES; drive += 1) {
    const start = START + Math.floor(drive / DRIVES) * DAY + (drive % DRIVES) * HOUR
    const [arrival, end] = [start + 0.6 * HOUR, start + HOUR]
    const spot = { latitude: 30 + drive / 1e4, longitude: -97, address: null }
    const point = (time: number) => ({ time, ...spot, odometer: time, engineHours: time })
    const box = { west: -97.1, south: 30, east: -97, north: 30.1 }
    const sums = { idleTime: 0, positions: 70, longestGap: 25_000, box }
    const place = ((object + drive) % PLACES) + 1
    records.push(
      {
        ...{ kind: 'trip', start, end: arrival, until: arrival, distance: 30_000_000, ...sums },
        ...{ from: point(start), to: point(arrival), movingTime: HOUR / 2 },
        ...{ silentTime: 0, maxSpeed: 90 },
      },
      {
        ...{ kind: 'stop', start: arrival, end, until: end, ...spot, ...sums },
        ...{ geofences: [], sites: [place] },
      },
      {
        ...{ kind: 'visit', placeType: 'site', place, start: arrival, end, until: end },
        ...{ before: arrival - 25_000, after: end + 25_000, distance: 0, positions: 60 },
      },
    )
  }
  return records
}

/** The bytes that this process has read from files. */
function ownBytes(): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])
}

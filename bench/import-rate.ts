/**
 * Compares the rate of `fleetgate import positions` with a bare loop that inserts the same records into the same
 * SQLite table, in turns, and measures its peak memory. Run: `node import-rate.ts [rows]`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import { OBJECT_DEFAULTS } from '../packages/server/src/base/domain/monitored-object.ts'
import {
  ORGANIZATION_DEFAULTS,
  type Organization,
} from '../packages/server/src/base/domain/organization.ts'
import { bareFix } from '../packages/server/src/base/domain/position/fix.ts'
import { packFix } from '../packages/server/src/base/domain/position/fix-record.ts'
import { openSqliteStore } from '../packages/server/src/data/sqlite/open.ts'
import { BATCH_ROWS, importPositions } from '../packages/server/src/work/import/import-positions.ts'
import { openSource } from '../packages/server/src/work/import/import-source.ts'
import { NOTHING_GIVEN } from '../packages/server/src/work/import/tables/notation.ts'
import { given, isSmall, overRounds, progress, report } from './report.ts'

const ROWS = Number(given[0] ?? (isSmall ? 50_000 : 1_000_000))
const ROUNDS = isSmall ? 2 : 3
const OBJECTS = 300
const MAX_MEGABYTES = 300

const START = Date.UTC(2025, 2, 1)
const BIN = new URL('../packages/server/bin/fleetgate.js', import.meta.url).pathname
const TELL_USAGE =
  'data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();console.error("used",u.maxRSS,u.userCPUTime+u.systemCPUTime)})'

type Row = { bus: number; time: number; speed: number; latitude: number; longitude: number }

/** Every bus every 30 seconds, bus after bus: the easiest order for the table. */
function rowAt(index: number): Row {
  const steps = Math.ceil(ROWS / OBJECTS)
  const bus = Math.floor(index / steps)
  const step = index % steps
  return {
    bus,
    time: START + step * 30_000,
    speed: (index * 7) % 20,
    latitude: 30 + bus / 1000 + step / 1e5,
    longitude: -97 - bus / 1000 - step / 1e5,
  }
}

async function writeFile(path: string): Promise<void> {
  const file = createWriteStream(path)
  let text = 'vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,trip_headsign\n'
  for (let index = 0; index < ROWS; index += 1) {
    const { bus, time, speed, latitude, longitude } = rowAt(index)
    const local = new Date(time - 5 * 3_600_000).toISOString().slice(0, 19)
    text += `${2000 + bus},${local}-05:00,${speed}.5,${bus % 90},17239${bus % 100},${latitude.toFixed(5)},${longitude.toFixed(5)},1-Metric/South Congress-SB\n`
    if (text.length > 1 << 20) {
      if (!file.write(text)) await once(file, 'drain')
      text = ''
    }
  }
  file.end(text)
  await finished(file)
}

async function inFolder<T>(work: (folder: string, organization: Organization) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-import-rate-'))
  const store = await openSqliteStore(folder)
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Bench' }
  const organization = await store.organizations.create(settings, START)
  const idents = Array.from({ length: OBJECTS }, (_, bus) => String(2000 + bus))
  const entries = idents.map((ident) => ({ ...OBJECT_DEFAULTS, ident, name: ident }))
  await store.objects.put(organization.id, entries, START)
  await store.close()
  try {
    return await work(folder, organization)
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Prepared = { object: number; time: number; record: Buffer }

/** Rows a second of the bare loop; each batch is one synced transaction, as in an import. */
function bareLoop(folder: string, organization: Organization, prepared: Prepared[]): Pace {
  const database = new DatabaseSync(join(folder, 'fleetgate.db'))
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000')
  const insert = database.prepare(
    `INSERT INTO positions (organization, object, time_device, change, fix, track) VALUES (?, ?, ?, ?, ?, x'')`,
  )
  const pace = paceMeter()
  for (let at = 0; at < prepared.length; at += BATCH_ROWS) {
    database.exec('BEGIN IMMEDIATE')
    for (const { object, time, record } of prepared.slice(at, at + BATCH_ROWS)) {
      insert.run(organization.id, object, time, 1, record)
    }
    database.exec('COMMIT')
  }
  const measured = pace()
  database.close()
  return measured
}

/** Rows a second of the import in this process. */
async function importInProcess(folder: string, organization: Organization, file: string) {
  const store = await openSqliteStore(folder)
  const signal = new AbortController().signal
  const pace = paceMeter()
  const summary = await importPositions(
    store,
    organization,
    await openSource(file, signal),
    {
      format: 'csv',
      mapping: new Map(),
      notation: NOTHING_GIVEN,
      ident: null,
      speedUnit: 'mps',
      distanceUnit: null,
      timezone: null,
      createObjects: false,
      clock: { now: Date.now, monotonic: () => 0 },
      signal,
    },
    () => {},
  )
  const measured = pace()
  await store.close()
  if (summary.accepted !== ROWS) throw new Error(`accepted ${summary.accepted} of ${ROWS}`)
  return measured
}

/** Rows a second of the whole command, from start to exit, and its peak memory in MB. */
async function importByCommand(folder: string, organization: Organization, file: string) {
  const command = ['import', 'positions', '--org', String(organization.id), '--data', folder]
  const options = ['--speed-unit', 'mps', '--quiet', '--json', file]
  const begun = performance.now()
  const child = spawn(process.execPath, ['--import', TELL_USAGE, BIN, ...command, ...options])
  const [out, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  const elapsedMs = performance.now() - begun
  if (JSON.parse(out).accepted !== ROWS) throw new Error(`the command said ${out}${errors}`)
  const [, peakKb, processorUs] = /used (\d+) (\d+)/.exec(errors)!
  return { pace: paceOf(elapsedMs, Number(processorUs)), peakMb: Number(peakKb) / 1024 }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString()
}

/** Rows a second of wall-clock time, and of processor time, which depends less on other work of the machine. */
type Pace = { byClock: number; byProcessor: number }

function paceMeter(): () => Pace {
  const begun = performance.now()
  const used = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(used)
    return paceOf(performance.now() - begun, user + system)
  }
}

function paceOf(elapsedMs: number, processorUs: number): Pace {
  return { byClock: (ROWS * 1e3) / elapsedMs, byProcessor: (ROWS * 1e6) / processorUs }
}

const folder = await mkdtemp(join(tmpdir(), 'fleetgate-import-rate-'))
const file = join(folder, 'positions.csv')
await writeFile(file)
const bytes = (await readFile(file)).length
progress(`${ROWS.toLocaleString('en')} rows, ${Math.round(bytes / 1e6)} MB, ${OBJECTS} objects`)
const NO_COUNTERS = { engineHours: null, odometer: null, mileage: null }
const prepared = Array.from({ length: ROWS }, (_, index) => {
  const { bus, time, speed, latitude, longitude } = rowAt(index)
  const fix = { ...bareFix(time, START, latitude, longitude), speed }
  return { object: bus + 1, time, record: packFix(fix, NO_COUNTERS) }
})

const rounds: { bare: Pace; inside: Pace; whole: Pace; peakMb: number }[] = []
for (let round = 1; round <= ROUNDS; round += 1) {
  progress(`round ${round} of ${ROUNDS}`)
  const bare = await inFolder(async (data, owner) => bareLoop(data, owner, prepared))
  const inside = await inFolder((data, owner) => importInProcess(data, owner, file))
  const { pace, peakMb } = await inFolder((data, owner) => importByCommand(data, owner, file))
  rounds.push({ bare, inside, whole: pace, peakMb })
}
await rm(folder, { recursive: true })

report(`fleetgate import positions of ${ROWS.toLocaleString('en')} rows`, [
  {
    name: 'the whole command, of a bare loop of inserts',
    ...overRounds(rounds, ({ whole, bare }) => whole.byClock / bare.byClock),
    unit: '',
    atLeast: 0.3,
  },
  {
    name: 'the same, for each second of processor time',
    ...overRounds(rounds, ({ whole, bare }) => whole.byProcessor / bare.byProcessor),
    unit: '',
  },
  { name: 'the whole command', ...overRounds(rounds, (r) => r.whole.byClock), unit: 'rows/s' },
  { name: 'without its start', ...overRounds(rounds, (r) => r.inside.byClock), unit: 'rows/s' },
  { name: 'bare loop', ...overRounds(rounds, (r) => r.bare.byClock), unit: 'rows/s' },
  {
    name: 'peak of its memory',
    value: Math.max(...rounds.map((r) => r.peakMb)),
    unit: 'MB',
    atMost: MAX_MEGABYTES,
  },
])

/**
 * Copies 10,000,000 positions from a data folder to PostgreSQL and back into another folder with `fleetgate
 * copy`, and interrupts each direction twice by `kill -9`. The two folders must be equal row by row at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempDisposableSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { API_KEY, newSecret } from '../packages/server/src/base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { identOf, packetAt } from './feed-packets.ts'
import { isSmall, progress, report } from './report.ts'

const ORGANIZATIONS = isSmall ? 3 : 100
const OBJECTS = isSmall ? 30 : 1_000
const STEPS = 100
const POSITIONS = ORGANIZATIONS * OBJECTS * STEPS
const BATCH = 4_000
/** Percentages of the positions after which a copy is killed. The small form kills earlier. */
const KILLS_AT = [25, 60]

const BIN = join(import.meta.dirname, '../packages/server/bin/fleetgate.js')
const NOTHING_DIFFERS = 0

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const [original, returned] = [join(folder.path, 'original'), join(folder.path, 'returned')]
progress(`${POSITIONS.toLocaleString('en')} positions`)
await fill(original)
// An operator's settings: commits are on disk.
const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on' })
try {
  const database = await postgres.database()
  const there = await copyInPieces(original, database)
  const back = await copyInPieces(database, returned)
  progress('comparing the folders')
  const [first, last] = [tablesOf(original), tablesOf(returned)]
  const apart = [...first.keys()].filter((table) => first.get(table) !== last.get(table))
  progress(apart.length === 0 ? 'all tables are equal' : `not equal: ${apart.join(', ')}`)
  report(`copy of ${POSITIONS.toLocaleString('en')} positions, there and back`, [
    ...figuresOf('to PostgreSQL', there),
    ...figuresOf('to a folder', back),
    { name: 'tables that differ', value: apart.length, unit: '', atMost: NOTHING_DIFFERS },
    {
      name: 'tables with other checksums',
      value: Number(there.checksums !== back.checksums),
      unit: '',
      atMost: NOTHING_DIFFERS,
    },
    { name: 'the folder', value: bytesOf(original) / 2 ** 20, unit: 'MB' },
  ])
} finally {
  await postgres.stop()
}

type Copied = { kills: number; seconds: number; checksums: string; peakBytes: number }

function figuresOf(name: string, { kills, seconds, peakBytes }: Copied) {
  return [
    {
      name: `${name}, kill -9`,
      value: kills,
      unit: 'times',
      ...(isSmall ? {} : { atLeast: KILLS_AT.length }),
    },
    { name: `${name}, all runs`, value: seconds, unit: 's' },
    { name: `${name}, of the rows`, value: POSITIONS / seconds, unit: 'rows/s' },
    { name: `${name}, memory`, value: peakBytes / 2 ** 20, unit: 'MB' },
  ]
}

async function copyInPieces(from: string, to: string): Promise<Copied> {
  const began = performance.now()
  let kills = 0
  let peakBytes = 0
  for (const percent of [...KILLS_AT, null]) {
    progress(`${from} to ${to}${percent === null ? '' : `, killed at ${percent} %`}`)
    const child = spawn(process.execPath, [BIN, 'copy', '--from', from, '--to', to, '--json'])
    const printed = text(child.stdout)
    const ended = once(child, 'exit')
    await watch(child, percent, (bytes) => {
      peakBytes = Math.max(peakBytes, bytes)
    })
    const [code] = await ended
    if (code === null) kills += 1
    else if (code !== 0) throw new Error(`the copy ended with ${code}`)
    else if (percent === null) {
      const { tables } = JSON.parse(await printed)
      const seconds = (performance.now() - began) / 1000
      return { kills, seconds, peakBytes, checksums: JSON.stringify(tables) }
    }
  }
  throw new Error('the last copy was killed')
}

/** Shows the progress of a copy, and kills it at the given share. */
async function watch(
  child: ChildProcess,
  percent: number | null,
  onMemory: (bytes: number) => void,
): Promise<void> {
  for await (const line of createInterface({ input: child.stderr! })) {
    progress(`  ${line}`)
    onMemory(peakBytesOf(child.pid!))
    const done = /^copying: .* (\d+) %/.exec(line)?.[1]
    if (percent !== null && done !== undefined && Number(done) >= percent) child.kill('SIGKILL')
  }
}

function peakBytesOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    // The process has ended already.
    return 0
  }
}

async function fill(folder: string): Promise<void> {
  const store = await openStore({ folder })
  for (let number = 0; number < ORGANIZATIONS; number += 1) await addFleet(store, number)
  await store.close()
}

async function addFleet(store: Store, number: number): Promise<void> {
  const named = { ...ORGANIZATION_DEFAULTS, name: `Organization ${number}` }
  const organization = (await store.organizations.create(named, Date.now())).id
  const { secret: _, ...stored } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...stored, name: 'copied', expiresAt: null }, Date.now())
  const idents = Array.from({ length: OBJECTS }, (_, i) => identOf(number * OBJECTS + i))
  const made = await store.objects.ensure(organization, idents, Date.now())
  const ids = [...made.ids.values()]
  const rules = foldRules(systemClock)
  const each = BATCH / STEPS
  for (let from = 0; from < ids.length; from += each) {
    const batch = ids
      .slice(from, from + each)
      .flatMap((object, i) =>
        Array.from({ length: STEPS }, (_, step) => ({ object, fix: packetAt(from + i, step) })),
      )
    await store.positions.append(organization, batch, rules)
  }
}

/** A checksum of all rows of each table, in the order of all their columns. */
function tablesOf(folder: string): Map<string, string> {
  using database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'copied'`)
    .all()
    .map(({ name }) => String(name))
  return new Map(names.map((name) => [name, checksumOf(database, name)]))
}

function checksumOf(database: DatabaseSync, table: string): string {
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
    .sort()
  const order = table === 'positions' ? 'organization, object, time_device' : columns.join(', ')
  const quoted = columns.map((column) => `quote(${column})`).join(` || ',' || `)
  const hash = createHash('sha256')
  for (const { row } of database
    .prepare(`SELECT ${quoted} AS row FROM ${table} ORDER BY ${order}`)
    .iterate()) {
    hash.update(`${row}\n`)
  }
  return hash.digest('hex')
}

function bytesOf(folder: string): number {
  return statSync(join(folder, 'fleetgate.db')).size
}

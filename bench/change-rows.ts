/**
 * Measures what pages of changes cost beside a history: the rows that each yields in a second of processor, both with
 * their JSON. Positions are of one object or of many, came alone or in batches, and are recent, or old and packed. Prints
 * a table in Markdown of microseconds for each row, and of the shares of a history's rows a second.
 * Run: `node change-rows.ts [postgres]`
 */
import { createSecretKey } from 'node:crypto'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeType } from '../packages/server/src/base/domain/item-rules.ts'
import type { MonitoredObject } from '../packages/server/src/base/domain/monitored-object.ts'
import {
  ORGANIZATION_DEFAULTS,
  type Organization,
} from '../packages/server/src/base/domain/organization.ts'
import { UNSEEN } from '../packages/server/src/base/domain/position/object-state.ts'
import { DAY_MS, LAST_TIME, systemClock } from '../packages/server/src/base/domain/time/time.ts'
import { openPostgresStore } from '../packages/server/src/data/postgres/open.ts'
import { openSqliteStore } from '../packages/server/src/data/sqlite/open.ts'
import { KeptJoinedChanges } from '../packages/server/src/engine/changes/joined-changes.ts'
import { KeptViews } from '../packages/server/src/engine/changes/kept-views.ts'
import { logPage } from '../packages/server/src/engine/changes/log-page.ts'
import { countOf, logOffset, type Page } from '../packages/server/src/engine/changes/page.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { chargePage, disclosedIn } from '../packages/server/src/read/changes/charge-page.ts'
import { bodyOf } from '../packages/server/src/read/changes/page-body.ts'
import { positionRowEncoder } from '../packages/server/src/read/encode/position-rows.ts'
import { newDatabase, startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { identOf } from './feed-packets.ts'
import { fixAt } from './large-fleet.ts'
import { familyProcessorSeconds } from './processor.ts'
import { given, progress } from './report.ts'

/** For the whole run, as a server has them: objects are read once. */
const joined = new KeptJoinedChanges()
const isPostgres = given.includes('postgres')
const HISTORY_ROWS = 20_000
const PAGE_ROWS = 10_000
const LIMITS = [1_000, PAGE_ROWS]
const LONG_ENOUGH_S = 0.15
const ROUNDS = 4
const SELECTION = { types: new Set<ChangeType>(['positions']), ids: null }
const SECRET = createSecretKey(Buffer.alloc(32))

/** `commit`: the positions of a commit, of as many objects if there are. */
type Fleet = { objects: number; rows: number; commit: number }
const FLEETS: Fleet[] = [
  { objects: 1, rows: HISTORY_ROWS, commit: 500 },
  { objects: 1, rows: HISTORY_ROWS / 2, commit: 1 },
  { objects: 2_000, rows: 20, commit: 500 },
  { objects: 2_000, rows: 5, commit: 1 },
]

process.stdout.write('| objects | rows a commit | | limit | history | page | share |\n')
process.stdout.write('|---|---|---|---|---|---|---|\n')
using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-rows-'))
const server = isPostgres ? await startPostgres() : undefined
const store =
  server === undefined
    ? await openSqliteStore(folder.path)
    : await openPostgresStore(await newDatabase(server.url, 'rows'))
const fleets: { fleet: Fleet; organization: Organization }[] = []
const chosen = given.map(Number).filter((number) => number > 0)
for (const fleet of FLEETS.filter(
  (_, at) => chosen.length === 0 || at === 0 || chosen.includes(at),
))
  fleets.push({ fleet, organization: await fill(store, fleet) })
const views = new KeptViews(store.changeLog)
const driven = fleets[0]!.organization
await measureAll('recent', Date.now())
progress('packing')
for (const { organization } of fleets) {
  for (let after: number | null = 0; after !== null; ) {
    after = (await store.positions.pack(organization.id, LAST_TIME, after)).next
  }
}
await measureAll('packed', Date.now() + 3 * DAY_MS)
await store.close()
await server?.stop()

async function measureAll(age: string, now: number): Promise<void> {
  for (const { fleet, organization } of fleets) {
    const { objects, commit } = fleet
    for (const limit of LIMITS) {
      // Other programs disturb a round, so the fastest one of each counts. The first one compiles code.
      let [history, page] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let round = 0; round < ROUNDS; round += 1) {
        history = Math.min(history, await historyCost(driven))
        page = Math.min(page, await pageCost(organization, limit, now))
      }
      const figures = [history.toFixed(2), page.toFixed(2), (history / page).toFixed(2)]
      process.stdout.write(`| ${[objects, commit, age, limit, ...figures].join(' | ')} |\n`)
    }
  }
}

async function fill(into: Store, { objects: count, rows, commit }: Fleet): Promise<Organization> {
  const named = { ...ORGANIZATION_DEFAULTS, name: 'Fleet', maxObjects: count }
  const organization = await into.organizations.create(named, Date.now())
  const idents = Array.from({ length: count }, (_, at) => identOf(at))
  const { ids } = await into.objects.ensure(organization.id, idents, Date.now())
  const objects = [...ids.values()]
  const rules = foldRules(systemClock)
  const all = Array.from({ length: rows * count }, (_, at) => {
    const object = objects[at % count]!
    return { object, step: Math.floor(at / count) }
  })
  // One after the other, single commits would wait for the disk.
  const atOnce = commit === 1 && count > 1 ? 250 : 1
  for (let from = 0; from < all.length; from += commit * atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, (_, nth) => {
        const part = all.slice(from + nth * commit, from + (nth + 1) * commit)
        const batch = part.map(({ object, step }) => ({ object, fix: ownFix(object, step) }))
        return into.positions.append(organization.id, batch, rules)
      }),
    )
  }
  progress(`${count} objects, ${commit} a commit`)
  return organization
}

/** Each ten seconds, so that a long drive ends before now. */
function ownFix(object: number, step: number) {
  const { timeDevice, ...fix } = fixAt(object, step % 400)
  return { ...fix, timeDevice: timeDevice - (step % 400) * 600_000 - 40 * DAY_MS + step * 10_000 }
}

/** Processor time of this process with its threads, and of the processes of PostgreSQL. */
function processorSeconds(): number {
  if (isPostgres) return familyProcessorSeconds(process.pid)
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Microseconds of processor for each row, from repeated runs that are long enough. */
async function costOf(run: () => Promise<number>): Promise<number> {
  const begun = processorSeconds()
  const used = () => processorSeconds() - begun
  let rows = 0
  while (used() < LONG_ENOUGH_S) rows += await run()
  return (used() / rows) * 1e6
}

async function historyCost({ id, distanceUnit }: Organization): Promise<number> {
  const [object] = await store.objects.list(id)
  return costOf(async () => {
    let rows = 0
    for (let from = 0; rows < HISTORY_ROWS; ) {
      const range = { from, to: LAST_TIME }
      const { blocks, next } = await store.positions.history(id, object!.id, range, PAGE_ROWS)
      const encode = positionRowEncoder(
        { object: object as MonitoredObject, state: UNSEEN },
        distanceUnit,
      )
      for await (const columns of blocks) {
        encode(columns)
        rows += columns.rows
      }
      if (next === null) break
      from = next + 1
    }
    return rows
  })
}

async function pageCost(organization: Organization, limit: number, now: number): Promise<number> {
  const reader = {
    types: ['positions'] as ChangeType[],
    ids: null,
    include: [],
    epoch: '',
    unit: organization.distanceUnit,
  }
  const read = { reader, entries: null, levels: [] }
  return costOf(async () => {
    let rows = 0
    let offset = logOffset(1)
    for (let hasMore = true; hasMore; ) {
      const options = { selection: SELECTION, now, limit, joinedAt: joined.for(undefined) }
      const page = (await views.view(organization.id, (view) => logPage(view, offset, options)))!
      const paid = (await chargePage(page, false, async () => undefined)) as Page
      disclosedIn(paid)
      const around = () => ({ before: '', after: '' })
      const body = await bodyOf(
        { secret: SECRET, knownAddresses: null },
        organization,
        read,
        paid,
        around,
      )
      if (!(body instanceof Buffer)) for await (const _ of body);
      rows += countOf(page)
      ;({ next: offset, hasMore } = page)
    }
    return rows
  })
}

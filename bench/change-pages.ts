/**
 * Measures pages of changes of a follower that is days behind, where the positions are rows and where they are packed:
 * change by change, and by joined changes. Each commit names other objects, so change by change each position of a
 * page is in another block. Prints a table in Markdown of microseconds of processor for each position, those of
 * PostgreSQL included, and of pages of `from=history`. Run: `node change-pages.ts [objects|objects×rows] [postgres]`
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeType } from '../packages/server/src/base/domain/item-rules.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { DAY_MS, LAST_TIME, systemClock } from '../packages/server/src/base/domain/time/time.ts'
import { openPostgresStore } from '../packages/server/src/data/postgres/open.ts'
import { openSqliteStore } from '../packages/server/src/data/sqlite/open.ts'
import { KeptJoinedChanges } from '../packages/server/src/engine/changes/joined-changes.ts'
import { logPage } from '../packages/server/src/engine/changes/log-page.ts'
import {
  logOffset,
  type PageOffset,
  type PageOptions,
  startOf,
} from '../packages/server/src/engine/changes/page.ts'
import { snapshotPage } from '../packages/server/src/engine/changes/snapshot-page.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { newDatabase, startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { identOf } from './feed-packets.ts'
import { fixAt } from './large-fleet.ts'
import { familyProcessorSeconds } from './processor.ts'
import { given, progress } from './report.ts'

/** As many as a block has. */
const ROWS = 500
const FLEETS = given
  .map((each) => each.split(/[x×]/).map(Number))
  .filter(([objects]) => objects! > 0)
  .map(([objects, rows = ROWS]) => ({ objects: objects!, rows }))
const BATCH = 500
const LIMITS = [1_000, 10_000]
const LONG_ENOUGH_S = 4
const SELECTION = { types: new Set<ChangeType>(['positions']), ids: null }
const OLD = Date.now() + 3 * DAY_MS
const HISTORY = startOf('history', Number.MAX_SAFE_INTEGER)

process.stdout.write(
  '| objects | rows of each | store | limit | rows | packed, change by change | packed, joined | from=history: rows | packed |\n',
)
process.stdout.write('|---|---|---|---|---|---|---|---|---|\n')
const few = [500, 2_000].map((objects) => ({ objects, rows: ROWS }))
for (const fleet of FLEETS.length > 0 ? FLEETS : few) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-pages-'))
  if (given.includes('postgres')) {
    const server = await startPostgres()
    const store = await openPostgresStore(await newDatabase(server.url, 'pages'))
    await measure('PostgreSQL', store, fleet)
    await store.close()
    await server.stop()
    continue
  }
  const store = await openSqliteStore(folder.path)
  await measure('SQLite', store, fleet)
  await store.close()
}

type Fleet = (typeof FLEETS)[number]

async function measure(name: string, store: Store, fleet: Fleet): Promise<void> {
  const organization = await fill(store, fleet)
  const { objects } = fleet
  const rows: number[][] = []
  const history = (limit: number) => follow(store, organization, { limit }, HISTORY)
  // The first reader compiles code, and PostgreSQL marks rows as committed.
  await follow(store, organization, { limit: 10_000 })
  for (const limit of LIMITS) {
    rows.push([await follow(store, organization, { limit }), await history(limit)])
  }
  progress(`${objects} objects: packing`)
  for (let after: number | null = 0; after !== null; ) {
    after = (await store.positions.pack(organization, LAST_TIME, after)).next
  }
  for (const [at, limit] of LIMITS.entries()) {
    const before = await follow(store, organization, { limit })
    const joinedAt = new KeptJoinedChanges().for(undefined)
    const now = await follow(store, organization, { limit, joinedAt })
    const [rowByRow, historyOfRows] = rows[at]!
    const figures = [rowByRow!, before, now, historyOfRows!, await history(limit)]
    const cells = figures.map((each) => each.toFixed(1))
    process.stdout.write(`| ${[objects, fleet.rows, name, limit, ...cells].join(' | ')} |\n`)
  }
}

/** A fleet of which each object reports every ten minutes, and another one a moment later. */
async function fill(store: Store, { objects: count, rows }: Fleet): Promise<number> {
  const named = { ...ORGANIZATION_DEFAULTS, name: 'Large', maxObjects: count }
  const { id: organization } = await store.organizations.create(named, Date.now())
  const idents = Array.from({ length: count }, (_, at) => identOf(at))
  const { ids } = await store.objects.ensure(organization, idents, Date.now())
  const objects = [...ids.values()]
  const rules = foldRules(systemClock)
  for (let step = 0; step < rows; step += 1) {
    for (let from = 0; from < count; from += BATCH) {
      const part = objects.slice(from, from + BATCH)
      const batch = part.map((object) => ({ object, fix: fixAt(object, step) }))
      await store.positions.append(organization, batch, rules)
    }
    if (step % 50 === 49) progress(`${count} objects: ${step + 1} rows of each`)
  }
  return organization
}

/**
 * Reads pages after the objects were made, or those of `from`. Returns microseconds of processor for each position. All of a joined change is read, because
 * its first page reads all its names.
 */
async function follow(
  store: Store,
  organization: number,
  options: Pick<PageOptions, 'limit' | 'joinedAt'>,
  from: PageOffset = logOffset(1),
): Promise<number> {
  const begun = familyProcessorSeconds(process.pid)
  const used = () => familyProcessorSeconds(process.pid) - begun
  let offset = from
  let positions = 0
  const isInJoined = () => offset.part === 'log' && offset.joined !== undefined
  for (let hasMore = true; hasMore && (isInJoined() || used() < LONG_ENOUGH_S); ) {
    const all = { selection: SELECTION, now: OLD, ...options }
    const page = await store.changeLog.view(organization, (view) =>
      offset.part === 'log' ? logPage(view, offset, all) : snapshotPage(view, offset, all),
    )
    for (const entry of page!.entries) if ('count' in entry) positions += entry.count
    ;({ next: offset, hasMore } = page!)
  }
  return (used() / positions) * 1e6
}

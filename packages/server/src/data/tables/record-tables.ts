import { RECORD_TYPES } from '../../base/domain/item-rules.ts'
import type {
  DerivedObject,
  DerivedWork,
  RecordProgress,
  RecordQuery,
  RecordSelection,
  RecordStore,
  RecordTask,
  RecordView,
} from '../../engine/store/record-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { readAttributes } from './attribute-tables.ts'
import { recordLeases } from './leases.ts'
import { expiredRecords } from './purge.ts'
import { entriesOf } from './record-columns.ts'
import {
  isSelected,
  type Overlapping,
  recordPages,
  recordReads,
  TASK_COLUMNS,
  type Wanted,
} from './record-reads.ts'
import { type Dialect, type OrganizationSql, plainRows, type Sql, type Tables } from './sql.ts'

/** The rows of a view, which each store reads its own way. */
export type TrackRows = Pick<RecordView, 'rows' | 'rowsBefore' | 'laterRows'>

function firstOf(object: number, selection: RecordSelection): RecordQuery {
  return { ...selection, objects: [object], after: null, limit: 1 }
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }

/** The derived records of an organization. `read` sees one moment. */
export function recordViews(
  dialect: Dialect,
  overlapping: Overlapping,
): (read: Tables['read'], organization: number, rows: TrackRows) => RecordView {
  const reads = recordReads(dialect)
  const pages = recordPages(dialect, overlapping)

  return (read, organization, rows) => {
    /** The read of this organization, as a method of the view. */
    const ofView =
      <Given extends unknown[], Result>(
        work: (sql: Sql, organization: number, ...given: Given) => Work<Result>,
      ) =>
      (...given: Given) =>
        read((sql) => work(sql, organization, ...given))
    const overlappingIn = (objects: readonly number[], wanted: Wanted) =>
      overlapping(read, organization, objects, wanted)

    return {
      ...rows,
      async progress() {
        const found = await read((sql) => reads.progress(sql, [organization]))
        return found.get(organization) ?? null
      },
      tails: ofView(reads.tails),
      openRecords: ofView(reads.openRecords),
      segments: ofView(reads.segments),
      checkpoint: ofView(reads.checkpoint),
      attributes: ofView(readAttributes),
      inRefold: ofView(reads.inRefold),
      tasks: ofView(reads.tasks),
      records: ofView(reads.records),
      async recordsIn(object, range, types = RECORD_TYPES) {
        const found = await Promise.all(
          types.map((type) => overlappingIn([object], { ...ALL, type, range })),
        )
        return found.flat()
      },
      visitsTo: (places, objects) =>
        overlappingIn(objects, { ...ALL, type: 'visits', places, range: ALWAYS }),
      recordsOf(type, objects, range, after, limit) {
        const remaining =
          after === null ? objects : objects.filter((object) => object >= after.object)
        return overlappingIn(remaining, { ...ALL, type, range, after, limit })
      },
      page: (query) => pages(read, organization, query),
      async withRecords({ objects, ...selection }) {
        const wanted = { ...ALL, ...selection, isFirstOnly: true }
        const firsts = Map.groupBy(await overlappingIn(objects, wanted), ({ object }) => object)
        const found: number[] = []
        for (const [object, records] of firsts) {
          // The first record may be too short, because it is under way, or may have ended too early.
          const isFound =
            records.some((each) => isSelected(each, selection)) ||
            (await pages(read, organization, firstOf(object, selection))).length > 0
          if (isFound) found.push(object)
        }
        return found
      },
    }
  }
}

/** The parts of the work on records that the stores do differently. */
export type RecordParts = Pick<RecordStore, 'due'> & {
  overlapping: Overlapping
  /** Writes the records and tails of objects, as far as the objects exist, and deletes the records that they left. */
  write(sql: OrganizationSql, objects: readonly DerivedObject[]): Work<void>
}

const WANT = `
  INSERT INTO record_tasks (organization, kind, id, after) VALUES ($1, 'history', 0, 0)
  ON CONFLICT (organization, kind, id) DO NOTHING`
const WANTED = `
  SELECT organization FROM record_progress UNION SELECT organization FROM record_tasks
  ORDER BY organization`
const IS_HELD = 'SELECT 1 FROM record_leases WHERE organization = $1 AND holder = $2'
const SAVE_PROGRESS = `
  INSERT INTO record_progress (organization, seq, at, last_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization)
    DO UPDATE SET seq = excluded.seq, at = excluded.at, last_id = excluded.last_id`
const SAVE_TASK = `
  INSERT INTO record_tasks (organization, kind, id, after, failed_at, error)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (organization, kind, id) DO UPDATE SET
    after = excluded.after, failed_at = excluded.failed_at, error = excluded.error`
const REMOVE_TASK = 'DELETE FROM record_tasks WHERE organization = $1 AND kind = $2 AND id = $3'

export function recordStore(tables: Tables, parts: RecordParts): RecordStore {
  const { dialect, read, change } = tables
  const reads = recordReads(dialect)
  const pages = recordPages(dialect, parts.overlapping)
  const failures = `
    SELECT ${TASK_COLUMNS} FROM record_tasks WHERE organization = $1 AND failed_at IS NOT NULL
    ORDER BY kind ${dialect.bytewise}, id LIMIT 20`

  return {
    ...recordLeases(tables),
    ...expiredRecords(tables),
    due: parts.due,
    page: (organization, query) => pages(read, organization, query),
    progress: (organizations) => read((sql) => reads.progress(sql, organizations)),
    async want(organization) {
      await change(organization, function* (sql) {
        if ((yield* reads.progress(sql, [organization])).size > 0) return
        if ((yield* sql.count(WANT, [organization])) > 0) sql.changed('records')
      })
    },
    async wanted() {
      const rows = await read(({ all }) => all<{ organization: number }>(WANTED, []))
      return rows.map(({ organization }) => organization)
    },
    failures: (organization) => plainRows<RecordTask>(tables, failures, [organization]),
    apply: (organization, holder, work) =>
      change(organization, function* (sql) {
        // PostgreSQL gets both questions at once.
        const leases = sql.all(IS_HELD, [organization, holder])
        const is = (yield* reads.progress(sql, [organization])).get(organization)
        const isSame = is?.seq === work.from?.seq && is?.lastId === work.from?.lastId
        if ((yield* leases).length === 0 || !isSame) return null
        yield* parts.write(sql, work.objects)
        writeTasks(sql, work)
        return yield* finish(sql, work)
      }),
  }
}

function writeTasks(
  { organization, run }: OrganizationSql,
  { tasks, doneTasks }: DerivedWork,
): void {
  for (const { kind, id } of doneTasks) run(REMOVE_TASK, [organization, kind, id])
  for (const { kind, id, after, failedAt, error } of tasks) {
    run(SAVE_TASK, [organization, kind, id, after, failedAt, error])
  }
}

/** Logs the change if readers see another record, and saves the progress. */
function* finish(sql: OrganizationSql, { objects, to }: DerivedWork): Work<RecordProgress> {
  const records = objects.flatMap(entriesOf)
  let { seq } = to
  if (records.length > 0) {
    // Without that, the deriver would have to read its own change.
    const logged = yield* sql.logged()
    if (logged === seq + 1) seq = logged
    sql.changed('records')
    sql.log({ records })
  }
  sql.run(SAVE_PROGRESS, [sql.organization, seq, to.at, to.lastId])
  return { ...to, seq }
}

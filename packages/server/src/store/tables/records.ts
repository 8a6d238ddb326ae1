import type { Work } from '../../tracking/work.ts'
import { entriesOf } from '../record-rows.ts'
import type {
  DerivedObject,
  DerivedWork,
  RecordProgress,
  RecordStore,
  RecordTask,
} from '../record-store.ts'
import { recordLeases } from './leases.ts'
import type { Overlapping } from './overlapping.ts'
import { expiredRecords } from './record-expiry.ts'
import { recordPages } from './record-pages.ts'
import { recordReads, TASK_COLUMNS } from './record-reads.ts'
import type { OrganizationSql, Tables } from './sql.ts'

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
    async failures(organization) {
      const rows = await read(({ all }) => all<RecordTask>(failures, [organization]))
      return rows.map((row) => ({ ...row }))
    },
    apply: (organization, holder, work) =>
      change(organization, function* (sql) {
        // PostgreSQL gets both questions at once.
        const held = sql.all(IS_HELD, [organization, holder])
        const is = (yield* reads.progress(sql, [organization])).get(organization)
        const isSame = is?.seq === work.from?.seq && is?.lastId === work.from?.lastId
        if ((yield* held).length === 0 || !isSame) return null
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

import type { DatabaseSync } from 'node:sqlite'
import { NO_ENTRIES } from '../../change-entries.ts'
import { entriesOf, leftRows, longestVisitOf, rowOf } from '../../record-rows.ts'
import type {
  DerivedObject,
  DerivedWork,
  RecordProgress,
  RecordStore,
  RecordTask,
} from '../../record-store.ts'
import { packTail } from '../../tail-form.ts'
import { changeRows } from '../change-log/change-rows.ts'
import { newestSequence, type TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'
import type { Transaction } from '../database/write-queue.ts'
import { expiredRecords } from './expiry.ts'
import { recordPages } from './record-pages.ts'
import { recordReads } from './record-reads.ts'

export function recordStore(
  database: Database,
  changes: TopicChanges,
): Omit<RecordStore, 'lease' | 'release'> {
  const { reader, writer } = database
  const shown = recordReads(reader)
  const written = recordReads(writer)
  const log = changeRows(writer)
  const newest = newestSequence(writer)
  const writes = recordWrites(writer)
  const due = reader.prepare(`
    SELECT organization AS id FROM record_tasks
    UNION
    SELECT organization FROM record_progress
    WHERE seq < (SELECT max(seq) FROM change_log WHERE organization = record_progress.organization)
    ORDER BY id
  `)
  const wanted = reader.prepare(`
    SELECT organization AS id FROM record_progress
    UNION
    SELECT organization FROM record_tasks
    ORDER BY id
  `)
  const want = writer.prepare(`
    INSERT OR IGNORE INTO record_tasks (organization, kind, id, after)
    SELECT id, 'history', 0, 0 FROM organizations
    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM record_progress WHERE organization = ?1)
  `)
  const failures = reader.prepare(`
    SELECT kind, id, after, failed_at AS failedAt, error FROM record_tasks
    WHERE organization = ? AND failed_at IS NOT NULL ORDER BY kind, id LIMIT 20
  `)
  const isHeld = writer.prepare('SELECT 1 FROM record_leases WHERE organization = ? AND holder = ?')

  /** Writes the work. Returns the new progress, and the entries of the change log. */
  function write(organization: number, work: DerivedWork) {
    for (const derived of work.objects) {
      writes.removeLeft(organization, derived)
      if (writes.tail(organization, derived)) writes.put(organization, derived)
    }
    writes.tasks(organization, work)
    const records = work.objects.flatMap(entriesOf)
    const isNext = log.newest(organization) === work.to.seq
    // Without that, the deriver would have to read its own change.
    const seq = records.length > 0 && isNext ? work.to.seq + 1 : work.to.seq
    const progress = { ...work.to, seq }
    writes.progress(organization, progress)
    return { records, progress }
  }

  /** Reports the topic to watchers after the commit. */
  function noteRecords(transaction: Transaction, organization: number): void {
    const sequence = newest() + 1
    changes.record(organization, ['records'], sequence)
    transaction.onCommit(() => changes.report({ organization, topic: 'records', sequence }))
  }

  return {
    async progress(organizations) {
      const found = new Map<number, RecordProgress>()
      database.read(() => {
        for (const organization of organizations) {
          const progress = shown.progress(organization)
          if (progress !== null) found.set(organization, { ...progress })
        }
      })
      return found
    },
    want: (organization) =>
      database.write((transaction) => {
        if (want.run(organization).changes > 0) noteRecords(transaction, organization)
      }),
    async wanted() {
      return database.read(() => wanted.all().map(({ id }) => id as number))
    },
    async due() {
      return database.read(() => due.all().map(({ id }) => id as number))
    },
    apply: (organization, holder, work) =>
      database.write((transaction) => {
        if (isHeld.get(organization, holder) === undefined) return null
        if (!isSame(written.progress(organization), work.from)) return null
        const { records, progress } = write(organization, work)
        if (records.length === 0) return progress
        changes.log(organization, { ...NO_ENTRIES, records })
        noteRecords(transaction, organization)
        return progress
      }),
    async failures(organization) {
      return database
        .read(() => failures.all(organization))
        .map((row) => ({ ...row }) as RecordTask)
    },
    page: recordPages(database),
    purgeExpired: expiredRecords(database),
  }
}

function isSame(a: RecordProgress | null, b: RecordProgress | null): boolean {
  return a?.seq === b?.seq && a?.lastId === b?.lastId
}

/** Calls are part of a transaction of the writer. */
function recordWrites(writer: DatabaseSync) {
  const remove = writer.prepare(`
    DELETE FROM records
    WHERE organization = ? AND kind = ? AND object = ? AND start_time = ? AND place = ?
  `)
  const put = writer.prepare(`
    INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
    ON CONFLICT (organization, kind, object, start_time, place) DO UPDATE SET
      id = excluded.id, revision = excluded.revision,
      updated_at = excluded.updated_at, end_time = excluded.end_time,
      duration = excluded.duration, fields = excluded.fields, checkpoint = excluded.checkpoint
  `)
  /** `put` of a record whose end stays. It writes no index. */
  const change = writer.prepare(`
    UPDATE records SET revision = ?7, updated_at = ?8, duration = ?10,
      fields = ?11, checkpoint = ?12
    WHERE organization = ?1 AND kind = ?2 AND object = ?3 AND start_time = ?4 AND place = ?5
      AND id = ?6 AND end_time IS ?9
  `)
  const changeTail = writer.prepare(`
    UPDATE record_tails SET progress = ?3, longest_visit = max(longest_visit, ?4)
    WHERE organization = ?1 AND object = ?2
  `)
  const addTail = writer.prepare(`
    INSERT INTO record_tails SELECT ?1, ?2, ?3, ?4
    WHERE EXISTS (SELECT 1 FROM objects WHERE organization = ?1 AND id = ?2)
  `)
  const removeTail = writer.prepare(
    'DELETE FROM record_tails WHERE organization = ? AND object = ?',
  )
  const progress = writer.prepare(`
    INSERT INTO record_progress VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, at = excluded.at, last_id = excluded.last_id
  `)
  const task = writer.prepare(`
    INSERT INTO record_tasks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      after = excluded.after, failed_at = excluded.failed_at, error = excluded.error
  `)
  const done = writer.prepare(
    'DELETE FROM record_tasks WHERE organization = ? AND kind = ? AND id = ?',
  )

  return {
    removeLeft(organization: number, derived: DerivedObject): void {
      for (const [kind, start, place] of leftRows(derived)) {
        remove.run(organization, kind, derived.object, start, place)
      }
    },
    /** Returns false if the object does not exist: with it went its tail. */
    tail(organization: number, derived: DerivedObject): boolean {
      const { object, tail } = derived
      if (tail === null) {
        removeTail.run(organization, object)
        return true
      }
      const values = [organization, object, packTail(tail), longestVisitOf(derived)] as const
      return changeTail.run(...values).changes > 0 || addTail.run(...values).changes > 0
    },
    put(organization: number, derived: DerivedObject): void {
      const { object } = derived
      for (const each of derived.puts) {
        if (each.isInTail) continue
        const row = rowOf(object, each)
        const values = [organization, ...(Object.values(row) as [])] as const
        const isThere = each.storedStart === row.start && change.run(...values).changes > 0
        if (!isThere) put.run(...values)
      }
    },
    progress(organization: number, { seq, at, lastId }: RecordProgress): void {
      progress.run(organization, seq, at, lastId)
    },
    tasks(organization: number, { tasks, doneTasks }: DerivedWork): void {
      for (const { kind, id } of doneTasks) done.run(organization, kind, id)
      for (const { kind, id, after, failedAt, error } of tasks) {
        task.run(organization, kind, id, after, failedAt, error)
      }
    },
  }
}

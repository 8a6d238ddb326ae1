import type { RecordEntry } from '../../change-entries.ts'
import { recordPage } from '../../record-pages.ts'
import { entriesOf } from '../../record-rows.ts'
import type { DerivedWork, RecordProgress, RecordStore, RecordTask } from '../../record-store.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import type { OrganizationWrite, OrganizationWrites } from '../items/organization-writes.ts'
import { ofAllOrganizations } from '../of-all-organizations.ts'
import { expiredRecords } from './expiry.ts'
import { kindsAndIds, readProgress, recordReads } from './record-reads.ts'
import { writeRecords } from './record-writes.ts'

const IS_HELD = statement('SELECT FROM record_leases WHERE organization = $1 AND holder = $2')
const DUE = dueOf(() => 'true')
/** A Citus asks one worker. */
const DUE_OF_ONE = dueOf((column) => `${column} = $1`)
const WANT = statement(`
  INSERT INTO record_tasks (organization, kind, id, after)
  VALUES ($1, 'history', 0, 0)
  ON CONFLICT DO NOTHING RETURNING organization
`)
const FAILURES = statement(`
  SELECT kind, id, after, failed_at AS "failedAt", error FROM record_tasks
  WHERE organization = $1 AND failed_at IS NOT NULL ORDER BY kind COLLATE "C", id LIMIT 20
`)
const WANTED = statement(`
  SELECT organization FROM record_progress UNION SELECT organization FROM record_tasks
  ORDER BY organization
`)
const SAVE_PROGRESS = statement(`
  INSERT INTO record_progress (organization, seq, at, last_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization)
    DO UPDATE SET seq = excluded.seq, at = excluded.at, last_id = excluded.last_id
`)
const OBJECTS = statement(`
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3
`)
/** The first object behind each one is found by the index, so that its other visits are not read. */
const VISITORS = statement(`
  WITH RECURSIVE visitors (id) AS (
    SELECT ${firstVisitor('$2')}
    UNION ALL
    SELECT ${firstVisitor('visitors.id')} FROM visitors WHERE visitors.id IS NOT NULL
  )
  SELECT id FROM visitors
  WHERE EXISTS (SELECT FROM objects WHERE objects.organization = $1 AND objects.id = visitors.id)
  LIMIT $3
`)

/** `only`: the condition on the column of an organization. */
function dueOf(only: (column: string) => string): Statement {
  return statement(`
    SELECT record_progress.organization FROM record_progress
    JOIN sequences ON sequences.organization = record_progress.organization
    JOIN organizations ON organizations.id = record_progress.organization
    WHERE sequences.logged > record_progress.seq AND ${only('record_progress.organization')}
    UNION
    SELECT record_tasks.organization FROM record_tasks
    JOIN organizations ON organizations.id = record_tasks.organization
    WHERE ${only('record_tasks.organization')}
    ORDER BY organization
  `)
}

function firstVisitor(after: string): string {
  return `(
    SELECT min(next.object) FROM unnest($4::int4[], $5::int8[]) AS visited (kind, place)
    CROSS JOIN LATERAL (
      SELECT object FROM records
      WHERE organization = $1 AND kind = visited.kind AND place = visited.place AND place > 0
        AND object > ${after}
      ORDER BY object LIMIT 1
    ) AS next
  )`
}

export function recordStore(
  database: Database,
  writes: OrganizationWrites,
): Omit<RecordStore, 'lease' | 'release'> {
  return {
    progress: (organizations) => readProgress(database, organizations),
    async want(organization) {
      await writes.write(organization, async (write) => {
        const progress = await readProgress(write, [organization])
        if (progress.has(organization)) return
        const added = await write.query(WANT, [organization])
        if (added.length > 0) write.changed('records')
      })
    },
    async wanted() {
      const rows = await database.query<{ organization: number }>(WANTED)
      return rows.map(({ organization }) => organization)
    },
    async due() {
      const rows = await ofAllOrganizations(
        database,
        () => database.query<{ organization: number }>(DUE),
        (organization) => database.query<{ organization: number }>(DUE_OF_ONE, [organization]),
      )
      return rows.map(({ organization }) => organization)
    },
    failures: (organization) => database.query<RecordTask>(FAILURES, [organization]),
    apply: (organization, holder, work) =>
      writes.write(organization, async (write) => {
        const [held, progress] = await Promise.all([
          write.query(IS_HELD, [organization, holder]),
          readProgress(write, [organization]),
        ])
        const is = progress.get(organization)
        const isSame = is?.seq === work.from?.seq && is?.lastId === work.from?.lastId
        if (held.length === 0 || !isSame) return null
        await writeRecords(write, work)
        return finish(write, work)
      }),
    page(organization, query) {
      const { overlapping } = recordReads(database, organization)
      const places = query.places === null ? null : kindsAndIds(query.places)
      return recordPage(query, {
        async objectsAfter(after, limit) {
          const rows =
            places === null
              ? await database.query<{ id: number }>(OBJECTS, [organization, after, limit])
              : await database.query<{ id: number }>(VISITORS, [
                  organization,
                  after,
                  limit,
                  ...places,
                ])
          return rows.map(({ id }) => id)
        },
        read: (objects, after, limit) => overlapping(objects, { ...query, after, limit }),
      })
    },
    purgeExpired: expiredRecords(database, writes),
  }
}

/** Logs the change if readers see another record, and saves the progress. */
function finish(write: OrganizationWrite, { objects, to }: DerivedWork): RecordProgress {
  const records: RecordEntry[] = objects.flatMap(entriesOf)
  if (records.length > 0) {
    write.changed('records')
    write.log({ records })
  }
  // Without that, the deriver would have to read its own change.
  const isNext = records.length > 0 && write.logged === to.seq + 1
  const progress = { ...to, seq: isNext ? write.logged : to.seq }
  write.run(SAVE_PROGRESS, [write.organization, progress.seq, progress.at, progress.lastId])
  return progress
}

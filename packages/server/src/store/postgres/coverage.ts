import type { CoverageState, CoverageStore, KeptDay, RejectCount } from '../coverage-store.ts'
import { int8Array } from './connection/binary-arrays.ts'
import { statement } from './connection/connections.ts'
import type { Database } from './database.ts'

const STATE = statement('SELECT form, seq FROM coverage_states WHERE organization = $1')
/** Also keeps `keep` and `advance` of an organization apart. */
const LOCK = statement('SELECT form, seq FROM coverage_states WHERE organization = $1 FOR UPDATE')
const IN_RANGE = 'organization = $1 AND object = ANY($2::int8[]) AND day BETWEEN $3 AND $4'
const DAYS = statement(`
  SELECT object, day, content, is_outdated AS "isOutdated", changed_at AS "changedAt"
  FROM coverage_days WHERE ${IN_RANGE} ORDER BY object, day
`)
const REJECTS = statement(`
  SELECT object, day, reason, packets
  FROM reject_counts WHERE ${IN_RANGE} ORDER BY object, day, reason COLLATE "C"
`)
const COUNTED_FROM = statement(
  'SELECT rejects_counted_from AS day FROM organizations WHERE id = $1',
)
const ADD = statement(`
  INSERT INTO coverage_states (organization, form, seq)
  SELECT id, $2, 0 FROM organizations WHERE id = $1 FOR KEY SHARE
  ON CONFLICT (organization) DO NOTHING
`)
const DROP = statement('DELETE FROM coverage_days WHERE organization = $1')
const ADVANCE = statement(`
  UPDATE coverage_states SET form = $2,
    seq = CASE WHEN form = $2 THEN greatest(seq, $3) ELSE $3 END
  WHERE organization = $1
`)
const OUTDATE = statement(`
  UPDATE coverage_days SET is_outdated = true, changed_at = greatest(changed_at, touched.at)
  FROM (
    SELECT object, first, last, max(seq) AS seq, max(at) AS at
    FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[])
      AS each (object, first, last, seq, at)
    GROUP BY object, first, last
  ) AS touched
  WHERE coverage_days.organization = $1 AND coverage_days.object = touched.object
    AND day BETWEEN first AND last AND coverage_days.seq < touched.seq
`)
const KEEP = statement(`
  INSERT INTO coverage_days (organization, object, day, seq, content, is_outdated)
  SELECT $1, kept.object, kept.day, $5, kept.content, false
  FROM unnest($2::int8[], $3::int8[], $4::text[]) AS kept (object, day, content)
  WHERE kept.object IN (SELECT id FROM objects WHERE organization = $1 AND id = ANY($2::int8[]) FOR KEY SHARE)
  ORDER BY kept.object, kept.day
  ON CONFLICT (organization, object, day)
    DO UPDATE SET seq = excluded.seq, content = excluded.content, is_outdated = false
`)

export function coverageStore(database: Database): CoverageStore {
  return {
    async state(organization) {
      const [state] = await database.query<CoverageState>(STATE, [organization])
      return state ?? null
    },
    async advance(organization, { form, seq }, touched) {
      await database.transaction(async (connection) => {
        await connection.run(ADD, [organization, form])
        await connection.query(LOCK, [organization])
        if (touched === 'all') await connection.run(DROP, [organization])
        else if (touched.length > 0) {
          const columns = (['object', 'from', 'to', 'seq', 'at'] as const).map((name) =>
            int8Array(touched.map((each) => each[name])),
          )
          await connection.run(OUTDATE, [organization, ...columns])
        }
        await connection.run(ADVANCE, [organization, form, seq])
      })
    },
    days: (organization, objects, from, to) =>
      database.query<KeptDay>(DAYS, [organization, int8Array(objects), from, to]),
    async keep(organization, asOf, days) {
      await database.transaction(async (connection) => {
        const [now] = await connection.query<CoverageState>(LOCK, [organization])
        if (now?.form !== asOf.form || now.seq > asOf.seq) return
        await connection.run(KEEP, [
          organization,
          int8Array(days.map(({ object }) => object)),
          int8Array(days.map(({ day }) => day)),
          days.map(({ content }) => content),
          asOf.seq,
        ])
      })
    },
    rejects: (organization, objects, from, to) =>
      database.query<RejectCount>(REJECTS, [organization, int8Array(objects), from, to]),
    async rejectsCountedFrom(organization) {
      const [row] = await database.query<{ day: number }>(COUNTED_FROM, [organization])
      return row?.day ?? null
    },
  }
}

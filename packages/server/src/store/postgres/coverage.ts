import { utcDay } from '../../domain/time/time.ts'
import type { CoverageState, CoverageStore, KeptDay, RejectCount } from '../coverage-store.ts'
import { int8Array } from './connection/binary-arrays.ts'
import { statement } from './connection/connections.ts'
import type { Connection, Database } from './database.ts'

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
/** From a table that lies beside it: on a Citus, a lock of `organizations` would need another worker. */
const ADD = statement(`
  INSERT INTO coverage_states (organization, form, seq)
  SELECT organization, $2, 0 FROM sequences WHERE organization = $1
  ON CONFLICT (organization) DO NOTHING
`)
/** All of a large organization would take longer than a statement may. */
const SLICE_DAYS = 10_000
const DROP = statement(`
  DELETE FROM coverage_days WHERE organization = $1 AND (object, day) IN (
    SELECT object, day FROM coverage_days WHERE organization = $1 LIMIT ${SLICE_DAYS}
  )
`)
const SLICE_OBJECTS = 500
const OBJECTS = statement(`
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT ${SLICE_OBJECTS}
`)
const PURGES = ['coverage_days', 'reject_counts'].map((table) =>
  statement(
    `DELETE FROM ${table} WHERE organization = $1 AND object BETWEEN $2 AND $3 AND day < $4`,
  ),
)
const ADVANCE = statement(`
  UPDATE coverage_states SET form = $2,
    seq = CASE WHEN form = $2 THEN greatest(seq, $3) ELSE $3 END
  WHERE organization = $1
`)
/** A day is joined with one row, because an update takes any one of several. */
const OUTDATE = statement(`
  UPDATE coverage_days SET is_outdated = is_outdated OR coverage_days.seq < touched.seq,
    changed_at = greatest(changed_at, touched.at)
  FROM (
    SELECT days.object, days.day, max(each.seq) AS seq, max(each.at) AS at
    FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[])
      AS each (object, first, last, seq, at)
    JOIN coverage_days AS days
      ON days.organization = $1 AND days.object = each.object AND days.day BETWEEN first AND last
    GROUP BY days.object, days.day
  ) AS touched
  WHERE coverage_days.organization = $1 AND coverage_days.object = touched.object
    AND coverage_days.day = touched.day
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
      const step = async (connection: Connection) => {
        const [there] = await connection.query(LOCK, [organization])
        if (there === undefined) {
          await connection.run(ADD, [organization, form])
          await connection.query(LOCK, [organization])
        }
        if (touched === 'all') {
          if ((await connection.run(DROP, [organization])) === SLICE_DAYS) return false
        } else if (touched.length > 0) {
          const columns = (['object', 'from', 'to', 'seq', 'at'] as const).map((name) =>
            int8Array(touched.map((each) => each[name])),
          )
          await connection.run(OUTDATE, [organization, ...columns])
        }
        await connection.run(ADVANCE, [organization, form, seq])
        return true
      }
      while (!(await database.transaction(step)));
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
    async purgeExpired(organization, before, after) {
      const ids = await database.query<{ id: number }>(OBJECTS, [organization, after])
      if (ids.length === 0) return null
      const [first, last] = [ids[0]!.id, ids.at(-1)!.id]
      for (const each of PURGES) {
        await database.run(each, [organization, first, last, utcDay(before)])
      }
      return ids.length < SLICE_OBJECTS ? null : last
    },
    rejects: (organization, objects, from, to) =>
      database.query<RejectCount>(REJECTS, [organization, int8Array(objects), from, to]),
  }
}

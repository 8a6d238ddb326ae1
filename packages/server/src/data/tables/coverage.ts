import { utcDay } from '../../base/domain/time/time.ts'
import type {
  ClockRejects,
  CoverageState,
  CoverageStore,
  DayName,
  KeptDay,
  RejectCount,
  TouchedDays,
} from '../../engine/store/record-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { expiringAfter } from './expiring.ts'
import { type Dialect, plainRows, type Sql, type Tables } from './sql.ts'
import { IS_CLOCK_REJECT } from './table.ts'

/** Days dropped in one transaction, and objects whose days one transaction deletes: some milliseconds. */
const SLICE_DAYS = 2_000
const SLICE_OBJECTS = 100

const STATE = 'SELECT form, seq FROM coverage_states WHERE organization = $1'
const ADVANCE = `
  UPDATE coverage_states SET form = $2, seq = CASE WHEN form = $2 AND seq > $3 THEN seq ELSE $3 END
  WHERE organization = $1`
// The last day of a slice is read first. With `IN (SELECT … LIMIT)`, PostgreSQL compares each day of the slice with each day
// of the organization if it has not analyzed the table yet.
const SLICE_END = `
  SELECT object, day FROM coverage_days WHERE organization = $1
  ORDER BY object, day LIMIT 1 OFFSET ${SLICE_DAYS - 1}`
const DROP_SLICE = `
  DELETE FROM coverage_days WHERE organization = $1 AND (object, day) <= ($2, $3)`
const DROP_ALL = 'DELETE FROM coverage_days WHERE organization = $1'

const CLOCK_REJECTS = `
  SELECT object, CAST(sum(packets) AS bigint) AS packets FROM reject_counts
  WHERE organization = $1 AND day >= $2 AND ${IS_CLOCK_REJECT}
  GROUP BY object ORDER BY object LIMIT 100`

type NewDay = DayName & { content: string }

export function coverageStore(tables: Tables): CoverageStore {
  const { dialect, read, write } = tables
  const { lock, add, days, rejects, outdate, keep, isDue, purges } = statements(dialect)

  /** Returns false if there are more days to drop. The lock keeps calls for an organization apart. */
  function* advance(
    sql: Sql,
    organization: number,
    { form, seq }: CoverageState,
    touched: readonly TouchedDays[] | 'all',
  ): Work<boolean> {
    if ((yield* sql.one(lock, [organization])) === undefined) {
      sql.run(add, [organization, form])
      yield* sql.one(lock, [organization])
    }
    if (touched === 'all') {
      const end = yield* sql.one<DayName>(SLICE_END, [organization])
      if (end !== undefined) {
        sql.run(DROP_SLICE, [organization, end.object, end.day])
        return false
      }
      sql.run(DROP_ALL, [organization])
    } else if (touched.length > 0) {
      const ranges = touched.map(({ from, to, ...rest }) => ({ ...rest, first: from, last: to }))
      sql.run(outdate, [organization, JSON.stringify(ranges)])
    }
    sql.run(ADVANCE, [organization, form, seq])
    return true
  }

  function* keepDays(
    sql: Sql,
    organization: number,
    asOf: CoverageState,
    kept: readonly NewDay[],
  ): Work<void> {
    const now = yield* sql.one<CoverageState>(lock, [organization])
    if (now?.form !== asOf.form || now.seq > asOf.seq) return
    const objects = dialect.list(kept.map(({ object }) => object))
    sql.run(keep, [organization, asOf.seq, objects, JSON.stringify(kept)])
  }

  return {
    async state(organization) {
      const found = await read(({ one }) => one<CoverageState>(STATE, [organization]))
      return found === undefined ? null : { ...found }
    },
    async advance(organization, to, touched) {
      while (!(await write((sql) => advance(sql, organization, to, touched))));
    },
    async days(organization, objects, from, to) {
      const values = [organization, dialect.list(objects), from, to]
      const rows = await read(({ all }) => all<KeptDay>(days, values))
      return rows.map((row) => ({ ...row, isOutdated: Boolean(row.isOutdated) }))
    },
    keep: (organization, asOf, kept) => write((sql) => keepDays(sql, organization, asOf, kept)),
    async purgeExpired(organization, before, after) {
      const { expiring, next } = await read((sql) =>
        expiringAfter(sql, organization, before, after, SLICE_OBJECTS),
      )
      for (const { before: moment, objects } of expiring) {
        const values = [organization, dialect.list(objects), utcDay(moment)]
        const found = await read(({ one }) => one<{ due: unknown }>(isDue, values))
        if (!found!.due) continue
        await write(function* ({ count }) {
          for (const purge of purges) yield* count(purge, values)
        })
      }
      return next
    },
    rejects: (organization, objects, from, to) =>
      plainRows<RejectCount>(tables, rejects, [organization, dialect.list(objects), from, to]),
    clockRejects: (organization, from) =>
      plainRows<ClockRejects>(tables, CLOCK_REJECTS, [organization, from]),
  }
}

function statements({ owners, isIn, given, bytewise, forUpdate, forKeyShare }: Dialect) {
  const expired = `organization = $1 AND ${isIn('object', '$2')} AND day < $3`
  const inRange = `organization = $1 AND ${isIn('object', '$2')} AND day BETWEEN $3 AND $4`
  const ranges = {
    object: 'bigint',
    first: 'bigint',
    last: 'bigint',
    seq: 'bigint',
    at: 'bigint',
  } as const
  return {
    isDue: `
      SELECT EXISTS (SELECT 1 FROM coverage_days WHERE ${expired})
        OR EXISTS (SELECT 1 FROM reject_counts WHERE ${expired}) AS due`,
    purges: ['coverage_days', 'reject_counts'].map(
      (table) => `DELETE FROM ${table} WHERE ${expired}`,
    ),
    lock: `${STATE} ${forUpdate}`,
    add: `
      INSERT INTO coverage_states (organization, form, seq)
      SELECT ${owners.id}, $2, 0 FROM ${owners.table} WHERE ${owners.id} = $1
      ON CONFLICT (organization) DO NOTHING`,
    days: `
      SELECT object, day, content, is_outdated AS "isOutdated", changed_at AS "changedAt"
      FROM coverage_days WHERE ${inRange} ORDER BY object, day`,
    rejects: `
      SELECT object, day, reason, packets
      FROM reject_counts WHERE ${inRange} ORDER BY object, day, reason ${bytewise}`,
    // A day is joined with one row, because an update takes any one of several.
    outdate: `
      UPDATE coverage_days SET is_outdated = is_outdated OR coverage_days.seq < touched.seq,
        changed_at = CASE WHEN changed_at > touched.at THEN changed_at ELSE touched.at END
      FROM (
        SELECT days.object, days.day, max(given.seq) AS seq, max(given.at) AS at
        FROM ${given('$2', ranges)} CROSS JOIN coverage_days AS days
        WHERE days.organization = $1 AND days.object = given.object
          AND days.day BETWEEN given.first AND given.last
        GROUP BY days.object, days.day
      ) AS touched
      WHERE coverage_days.organization = $1 AND coverage_days.object = touched.object
        AND coverage_days.day = touched.day`,
    keep: `
      INSERT INTO coverage_days (organization, object, day, seq, content, is_outdated)
      SELECT $1, object, day, $2, content, false
      FROM ${given('$4', { object: 'bigint', day: 'bigint', content: 'text' })}
      WHERE object IN (
        SELECT id FROM objects WHERE organization = $1 AND ${isIn('id', '$3')} ${forKeyShare}
      )
      ORDER BY object, day
      ON CONFLICT (organization, object, day)
        DO UPDATE SET seq = excluded.seq, content = excluded.content, is_outdated = false`,
  }
}

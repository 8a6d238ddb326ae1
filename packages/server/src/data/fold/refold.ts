import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { Note } from '../../engine/store/audit-store.ts'
import type { Refolded, RefoldSubject } from '../../engine/store/position-store.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import { BEGINNING, refoldSlice, SLICE_POSITIONS } from '../../engine/tracking/refold-slice.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from '../tables/audit-tables.ts'
import type { Sql, Tables } from '../tables/sql.ts'
import type { FoldBuffer } from './fold-buffer.ts'
import type { FoldTargets, FoldWrite } from './fold-targets.ts'

/**
 * An object with at most this many positions is folded again in one transaction, so that no answer shows a part of it by other
 * rules. That takes 0.2 s in SQLite, in which this process does nothing else, and 0.4 s in PostgreSQL.
 */
const WHOLE_POSITIONS = 5_000

type Mark = { organization: number; object: number }

/** `$1`: a share of the largest id, at which the search begins. */
const NEXT = `
  SELECT organization, object FROM refolds WHERE organization >= (
    SELECT CAST(max(organization) * CAST($1 AS float8) AS bigint) FROM refolds
  )
  ORDER BY organization, object LIMIT 1`
const NEXT_OF_ONE = `
  SELECT organization, object FROM refolds
  WHERE organization = $1 AND object >= $2 AND object <= $3 ORDER BY object LIMIT 1`
const FIND = 'SELECT from_time AS after FROM refolds WHERE organization = $1 AND object = $2'
const MARK = `
  INSERT INTO refolds (organization, object, from_time) VALUES ($1, $2, $3)
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time`
const REMOVE = 'DELETE FROM refolds WHERE organization = $1 AND object = $2'
const MARK_ALL = `
  INSERT INTO refolds (organization, object, from_time)
  SELECT organization, object, ${BEGINNING} FROM object_states
  WHERE organization = $1 AND object >= $2 AND object <= $3
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time`

const WAITING = 'SELECT count(*) AS count FROM refolds'
const WAITING_OF = `${WAITING} WHERE organization = $1`
/** Counts rows up to one more than `$3`. */
const POSITIONS = `
  SELECT (SELECT count(*) FROM (
      SELECT 1 FROM positions WHERE organization = $1 AND object = $2 LIMIT $3 + 1
    ) AS counted)
    + (SELECT coalesce(sum(rows), 0) FROM position_blocks WHERE organization = $1 AND object = $2)
    AS count`

const OTHER_RULES = 'FROM object_states WHERE organization = $1 AND rules <> $2'
const FOLDED_OTHERWISE = `SELECT 1 ${OTHER_RULES} LIMIT 1`
const MARK_FOLDED_OTHERWISE = `
  INSERT INTO refolds (organization, object, from_time)
  SELECT organization, object, ${BEGINNING} ${OTHER_RULES}
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time`

/** The first and the last of the objects. Null: all. */
function boundsOf(object: number | null): [first: number, last: number] {
  return [object ?? 0, object ?? Number.MAX_SAFE_INTEGER]
}

/** Whether rules of another version have folded the positions of an object. */
export function isOutdated({ rules }: FoldTarget, { version }: FoldRules): boolean {
  return rules !== null && rules !== version
}

/**
 * Folds stored positions again, those of large objects in slices, with others writing in between. Only the transaction that has
 * exclusive access to the organization reads and moves its marks, so that nothing deadlocks.
 */
export function refolder(
  { read, readAll, write, change }: Tables,
  targets: FoldTargets,
  buffered: (write: FoldWrite) => FoldBuffer,
) {
  /** Where this process begins among the organizations. Other processes begin elsewhere. */
  const start = Math.random()

  function* refoldFrom(
    write: FoldWrite,
    object: number,
    after: number,
    rules: FoldRules,
  ): Work<Refolded> {
    const { sql, change } = write
    const { organization } = sql
    const existing = write.find(object)
    const buffer = buffered(write)
    const limit = after === BEGINNING ? WHOLE_POSITIONS : SLICE_POSITIONS
    const slice =
      existing === null ? null : yield* refoldSlice(buffer, existing, after, limit, change, rules)
    const unfinishedAfter = slice?.unfinishedAfter ?? null
    if (unfinishedAfter === null) sql.run(REMOVE, [organization, object])
    else sql.run(MARK, [organization, object, unfinishedAfter])
    yield* buffer.flush()
    const target = slice?.target ?? existing
    // The mark stays until all of its positions follow, or leads other rules to its first position again.
    const version = after === BEGINNING ? rules.version : (target?.rules ?? null)
    if (target !== null) write.save(new Map([[object, { ...target, rules: version }]]), null)
    const finished = unfinishedAfter === null
    return { organization, object, positions: slice?.folded ?? 0, finished }
  }

  /** Null if the mark is gone: another process was faster, or the organization was deleted. */
  async function refoldMark(mark: Mark, rules: FoldRules): Promise<Refolded | null> {
    const { organization, object } = mark
    const known = await change(organization, function* (sql) {
      const write = yield* targets.begin(sql, [object])
      const existing = yield* sql.one<{ after: number }>(FIND, [organization, object])
      if (existing === undefined) return { refolded: null }
      return { refolded: yield* refoldFrom(write, object, existing.after, rules) }
    })
    if (known === null) await write(({ count }) => count(REMOVE, [organization, object]))
    return known?.refolded ?? null
  }

  const nextOfAll = ({ all }: Sql) => all<Mark>(NEXT, [start])
  const nextOf = ({ all }: Sql, organization: number, object: number | null) =>
    all<Mark>(NEXT_OF_ONE, [organization, ...boundsOf(object)])

  return {
    async requestRefold({ organization, object }: RefoldSubject, note?: Note<number>) {
      const marked = await change(organization, function* (sql) {
        const count = yield* sql.count(MARK_ALL, [organization, ...boundsOf(object)])
        return yield* noted(sql, count, note)
      })
      return marked ?? 0
    },
    async requestNewRules(organization: number, { version }: Pick<FoldRules, 'version'>) {
      const values = [organization, version]
      // Most starts find nothing, and hold nobody up for it.
      if ((await read(({ one }) => one(FOLDED_OTHERWISE, values))) === undefined) return 0
      return (await change(organization, ({ count }) => count(MARK_FOLDED_OTHERWISE, values))) ?? 0
    },
    async waitingForRefold(organization: number | null): Promise<number> {
      const found = await read(({ one }) =>
        organization === null
          ? one<{ count: number }>(WAITING, [])
          : one<{ count: number }>(WAITING_OF, [organization]),
      )
      return found!.count
    },
    /**
     * Folds the positions of an object again, if rules of another version have folded them. For a large object it leaves that to
     * `refold`.
     */
    async refoldByNewRules(organization: number, object: number, rules: FoldRules): Promise<void> {
      await change(organization, function* (sql) {
        const write = yield* targets.begin(sql, [object])
        const existing = write.find(object)
        if (existing === null || !isOutdated(existing, rules)) return
        const values = [organization, object, WHOLE_POSITIONS]
        const { count } = (yield* sql.one<{ count: number }>(POSITIONS, values))!
        if (count <= WHOLE_POSITIONS) yield* refoldFrom(write, object, BEGINNING, rules)
        else {
          sql.run(MARK, [organization, object, BEGINNING])
          write.save(new Map([[object, { ...existing, rules: rules.version }]]), null)
        }
      })
    },
    async refold(subject: RefoldSubject | null, rules: FoldRules) {
      for (;;) {
        const [mark] = await (subject === null
          ? readAll(nextOfAll, (sql, organization) => nextOf(sql, organization, null))
          : read((sql) => nextOf(sql, subject.organization, subject.object)))
        if (mark === undefined) return null
        const refolded = await refoldMark(mark, rules)
        if (refolded !== null) return refolded
      }
    },
  }
}

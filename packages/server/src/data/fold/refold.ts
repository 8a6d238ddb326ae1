import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { PositionStore, Refolded } from '../../engine/store/position-store.ts'
import { BEGINNING, refoldSlice } from '../../engine/tracking/refold-slice.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from '../tables/audit.ts'
import type { Sql, Tables } from '../tables/sql.ts'
import type { FoldBuffer } from './fold-buffer.ts'
import type { FoldTargets, FoldWrite } from './fold-targets.ts'

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
const MOVE = 'UPDATE refolds SET from_time = $3 WHERE organization = $1 AND object = $2'
const REMOVE = 'DELETE FROM refolds WHERE organization = $1 AND object = $2'
const RULES = 'UPDATE object_states SET rules = $3 WHERE organization = $1 AND object = $2'
const MARK_ALL = `
  INSERT INTO refolds (organization, object, from_time)
  SELECT organization, object, ${BEGINNING} FROM object_states
  WHERE organization = $1 AND object >= $2 AND object <= $3
  ON CONFLICT (organization, object) DO UPDATE SET from_time = excluded.from_time`

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

/**
 * Folds stored positions again in slices, with others writing in between. Only the transaction that has
 * exclusive access to the organization reads and moves its marks, so that nothing deadlocks.
 */
export function refolder(
  { read, readAll, write, change }: Tables,
  targets: FoldTargets,
  buffered: (write: FoldWrite) => FoldBuffer,
): Pick<PositionStore, 'refold' | 'requestRefold' | 'requestNewRules'> {
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
    const slice =
      existing === null ? null : yield* refoldSlice(buffer, existing, after, change, rules)
    const unfinishedAfter = slice?.unfinishedAfter ?? null
    if (unfinishedAfter === null) sql.run(REMOVE, [organization, object])
    else sql.run(MOVE, [organization, object, unfinishedAfter])
    yield* buffer.flush()
    if (slice !== null) write.save(new Map([[object, slice.target]]), rules.version)
    // The mark stays until all of its positions follow, or leads other rules to its first position again.
    if (after === BEGINNING) sql.run(RULES, [organization, object, rules.version])
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
    async requestRefold({ organization, object }, note) {
      const marked = await change(organization, function* (sql) {
        const count = yield* sql.count(MARK_ALL, [organization, ...boundsOf(object)])
        return yield* noted(sql, count, note)
      })
      return marked ?? 0
    },
    async requestNewRules(organization, { version }) {
      const values = [organization, version]
      // Most starts find nothing, and hold nobody up for it.
      if ((await read(({ one }) => one(FOLDED_OTHERWISE, values))) === undefined) return 0
      return (await change(organization, ({ count }) => count(MARK_FOLDED_OTHERWISE, values))) ?? 0
    },
    async refold(subject, rules) {
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

import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { LAST_TIME } from '../../base/domain/time/time.ts'
import type { TrackerMove } from '../../base/domain/tracker-move.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import { takeBatch } from '../../engine/tracking/take-batch.ts'
import { takeRange } from '../../engine/tracking/take-range.ts'
import { isErased, withoutErased } from '../../engine/tracking/withheld.ts'
import { DAMAGED, unlessDamaged, type Work } from '../../engine/tracking/work.ts'
import type { OrganizationSql, Sql, Tables } from '../tables/sql.ts'
import type { FoldBuffer } from './fold-buffer.ts'
import type { FoldTargets, FoldWrite } from './fold-targets.ts'

/** Positions per transaction. Moving them takes some ten milliseconds. */
const SLICE_POSITIONS = 500

const PENDING = 'SELECT organization FROM tracker_moves WHERE NOT is_done LIMIT 1'
const PENDING_OF = `
  SELECT organization FROM tracker_moves WHERE organization = $1 AND NOT is_done LIMIT 1`
/** The first request: a later one may move the same positions on. */
const NEXT = `
  SELECT ident, since, object, successor FROM tracker_moves
  WHERE organization = $1 AND NOT is_done ORDER BY requested_at, since LIMIT 1`
const DONE = `
  UPDATE tracker_moves SET is_done = true
  WHERE organization = $1 AND ident = $2 AND since = $3`

/** Rules by which nothing of a move is expired. Upkeep deletes it hours later, so a move by mistake can be taken back. */
function movingRules(rules: FoldRules): FoldRules {
  return {
    ...rules,
    judge(object, fix) {
      const reason = rules.judge(object, fix)
      return reason === 'beyond_retention' ? undefined : reason
    },
  }
}

/**
 * Lets positions follow a tracker that was put into another object. A transaction takes the newest of them from the one
 * object and gives them to the other, so that each is in exactly one of them at any moment.
 */
export function positionMover(
  { readAll, change }: Tables,
  targets: FoldTargets,
  buffered: (write: FoldWrite) => FoldBuffer,
): Pick<PositionStore, 'moveSlice'> {
  const nextOfAll = ({ all }: Sql) => all<{ organization: number }>(PENDING, [])
  const nextOf = ({ all }: Sql, organization: number) =>
    all<{ organization: number }>(PENDING_OF, [organization])

  function* moveNext(sql: OrganizationSql, rules: FoldRules): Work<number> {
    const { organization } = sql
    const move = yield* sql.one<TrackerMove>(NEXT, [organization])
    if (move === undefined) return 0
    const { ident, since, object, successor } = move
    const write = yield* targets.begin(sql, [object, successor])
    const [from, to] = [write.find(object), write.find(successor)]
    const buffer = buffered(write)
    const range = { from: since, to: LAST_TIME }
    const take = (target: FoldTarget) =>
      takeRange(buffer, target, range, SLICE_POSITIONS, write.change, rules)
    // Damaged positions stay, and so do those before them. The move ends there, or it would hold up all others.
    const taken = from && to && (yield* unlessDamaged(() => take(from)))
    if (!taken || taken === DAMAGED || taken.fixes.length === 0) {
      sql.run(DONE, [organization, ident, since])
      return 0
    }
    // Those of ranges that were erased meanwhile end here.
    const left = taken.fixes.filter(({ timeDevice }) => !isErased(from!, timeDevice))
    const batch = left.map((given) => {
      const fix = withoutErased(from!, { object, fix: given })
      return { object: successor, fix }
    })
    const { touched } = yield* takeBatch(
      buffer,
      write.find,
      batch,
      write.change,
      movingRules(rules),
    )
    yield* buffer.flush()
    write.save(touched.set(object, taken.target), rules.version)
    return taken.fixes.length
  }

  return {
    async moveSlice(rules) {
      const [pending] = await readAll(nextOfAll, nextOf)
      if (pending === undefined) return null
      return (await change(pending.organization, (sql) => moveNext(sql, rules))) ?? 0
    },
  }
}

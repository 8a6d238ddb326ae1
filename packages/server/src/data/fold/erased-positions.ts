import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import {
  type Erasure,
  type ErasureState,
  newErasures,
  type PositionStore,
} from '../../engine/store/position-store.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import { takeRange } from '../../engine/tracking/take-range.ts'
import { takeValues } from '../../engine/tracking/take-values.ts'
import { isOfRange } from '../../engine/tracking/withheld.ts'
import { DAMAGED, unlessDamaged, type Work } from '../../engine/tracking/work.ts'
import type { PackTables, TablesOf } from '../positions/position-tables.ts'
import { type StoredBlock, type StoredRow, unpackRows } from '../positions/stored-blocks.ts'
import { noted } from '../tables/audit-tables.ts'
import { type OrganizationSql, plainRows, type Sql, type Tables } from '../tables/sql.ts'
import { forgetDeliveries } from '../tables/webhook-tables.ts'
import type { FoldBuffer } from './fold-buffer.ts'
import type { FoldTargets, FoldWrite } from './fold-targets.ts'
import { rejectRows } from './rejected-packets.ts'

/** Positions per transaction. Deleting them, and folding those after them again, takes some ten milliseconds. */
const SLICE_POSITIONS = 500

const COLUMNS = `
  organization, object, from_time AS "from", to_time AS "to", nullif(attribute, '') AS attribute,
  erased_at AS "erasedAt", seq, state, done_at AS "doneAt"`
const LISTED = `
  SELECT ${COLUMNS} FROM erasures
  WHERE organization = $1 AND object BETWEEN $2 AND $3
  ORDER BY object, from_time, to_time, attribute`
const LISTED_OF_ALL = `
  SELECT ${COLUMNS} FROM erasures ORDER BY organization, object, from_time, to_time, attribute`
const IS_OBJECT = 'SELECT id FROM objects WHERE organization = $1 AND id = $2'
const ADDED = {
  object: 'bigint',
  from_time: 'bigint',
  to_time: 'bigint',
  attribute: 'text',
  left_to: 'bigint',
  erased_at: 'bigint',
  seq: 'bigint',
  state: 'text',
} as const
const AGAIN = `
  ON CONFLICT (organization, object, from_time, to_time, attribute) DO UPDATE
    SET left_to = excluded.left_to, erased_at = excluded.erased_at, state = excluded.state,
      done_at = NULL`
const PENDING = "SELECT organization FROM erasures WHERE state = 'under_way' LIMIT 1"
const NEXT = `
  SELECT ${COLUMNS}, left_to AS "leftTo" FROM erasures
  WHERE organization = $1 AND state = 'under_way' ORDER BY object, from_time LIMIT 1`
const PROGRESS = `
  UPDATE erasures SET left_to = $6, seq = $7, state = $8, done_at = $9
  WHERE organization = $1 AND object = $2 AND from_time = $3 AND to_time = $4 AND attribute = $5`

/** The ranges of one request. */
const OF_REQUEST = `
  SELECT min(CASE WHEN state = 'done' THEN from_time END) AS "from",
    count(CASE WHEN state = 'under_way' THEN 1 END) AS "underWay"
  FROM erasures
  WHERE organization = $1 AND object = $2 AND attribute = $3 AND erased_at = $4`

const COUNTED = `
  SELECT count(*) AS rows, count(*) - count(hidden) AS shown FROM positions
  WHERE organization = $1 AND object = $2 AND time_device BETWEEN $3 AND $4`
const IN_BLOCKS = `
  SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(shown), 0) AS shown FROM position_blocks
  WHERE organization = $1 AND object = $2 AND first_time >= $3 AND first_time <= $4
    AND last_time <= $4`
type Counted = { rows: number; shown: number }

/** The name in the key of the table: that of an attribute is not empty. */
function storedName(attribute: string | null): string {
  return attribute ?? ''
}

/** `leftTo`: what is left is at that moment or before. */
type Pending = Erasure & { leftTo: number }
type Taken = { target: FoldTarget; count: number; leftTo: number | null }

/**
 * Deletes positions of ranges of time, or values of an attribute from them. The range is written at first, so that from then
 * on none of it is stored again. Then its positions go in slices, the newest first: after each one the object is as if these,
 * or their values, had never come.
 */
export function positionEraser(
  tables: Tables,
  targets: FoldTargets,
  buffered: (write: FoldWrite) => FoldBuffer,
  tablesOf: TablesOf,
): Pick<PositionStore, 'erase' | 'eraseSlice' | 'erasures' | 'storedIn'> {
  const { readAll, change, dialect } = tables
  const rejects = rejectRows(dialect)
  const add = dialect.rowWriter('erasures', ADDED, AGAIN)

  /** The rejected packets of the range go too: they are kept with their places, and without values of attributes. */
  function* dropRejects(sql: OrganizationSql, object: number, range: TimeRange): Work<void> {
    const known = (yield* rejects.listed(sql, sql.organization, [object])).get(object) ?? []
    const left = known.filter((each) => !isOfRange(range, each))
    if (left.length < known.length) rejects.save(sql, sql.organization, [[object, left]])
  }

  /** Each time costs the deliveries of all webhooks, so they go once for the ranges of one request. */
  function* forgetAfterLast(
    sql: OrganizationSql,
    { object, attribute, erasedAt }: Pending,
  ): Work<void> {
    const values = [sql.organization, object, storedName(attribute), erasedAt]
    const all = yield* sql.one<{ from: number | null; underWay: number }>(OF_REQUEST, values)
    const { from, underWay } = all!
    if (underWay === 0 && from !== null) yield* forgetDeliveries(sql, from)
  }

  function* take(
    write: FoldWrite,
    buffer: FoldBuffer,
    next: Pending,
    rules: FoldRules,
  ): Work<Taken> {
    const { from, to, attribute, leftTo } = next
    const target = write.find(next.object)!
    if (attribute !== null) {
      return yield* takeValues(buffer, target, attribute, { from, to: leftTo }, SLICE_POSITIONS)
    }
    const range = { from, to }
    const taken = yield* takeRange(buffer, target, range, SLICE_POSITIONS, write.change, rules)
    const count = taken.fixes.length
    return { target: taken.target, count, leftTo: count < SLICE_POSITIONS ? null : to }
  }

  function* eraseNext(sql: OrganizationSql, rules: FoldRules, now: number): Work<number> {
    const next = yield* sql.one<Pending>(NEXT, [sql.organization])
    if (next === undefined) return 0
    const { object, from, to, attribute, seq } = next
    const write = yield* targets.begin(sql, [object])
    const buffer = buffered(write)
    const taken = yield* unlessDamaged(() => take(write, buffer, next, rules))
    const isChange = taken !== DAMAGED && taken.target !== write.find(object)
    const leftTo = taken === DAMAGED ? next.leftTo : taken.leftTo
    const state: ErasureState =
      taken === DAMAGED ? 'damaged' : leftTo === null ? 'done' : 'under_way'
    if (attribute === null) yield* dropRejects(sql, object, next)
    const last = isChange ? yield* sql.logged() : seq
    const key = [sql.organization, object, from, to, storedName(attribute)]
    const doneAt = state === 'done' ? now : null
    sql.run(PROGRESS, [...key, leftTo ?? from, last, state, doneAt])
    if (state !== 'under_way') yield* forgetAfterLast(sql, next)
    if (!isChange) return 0
    yield* buffer.flush()
    write.save(new Map([[object, taken.target]]), null)
    return taken.count
  }

  return {
    async erase(organization, object, what, now, note) {
      const { ranges, attribute = null } = what
      return change(organization, function* (sql) {
        if ((yield* sql.one(IS_OBJECT, [organization, object])) === undefined) return null
        const known = yield* sql.all<Erasure>(LISTED, [organization, object, object])
        if (newErasures(known, what) === undefined) return 'too_many'
        const rows = ranges.map(({ from, to }) => {
          return [object, from, to, storedName(attribute), to, now, 0, 'under_way']
        })
        add(sql, organization, rows)
        // Processes that have the object in memory read it again, with the ranges.
        sql.changed('objects')
        return yield* noted(sql, ranges.length, note)
      })
    },
    async eraseSlice(rules, now) {
      const ofOne = ({ all }: Sql, organization: number) => all<Erasure>(NEXT, [organization])
      const [pending] = await readAll<{ organization: number }>(
        ({ all }) => all(PENDING, []),
        function* (sql, organization) {
          return (yield* ofOne(sql, organization)).map(() => ({ organization }))
        },
      )
      if (pending === undefined) return null
      return (await change(pending.organization, (sql) => eraseNext(sql, rules, now))) ?? 0
    },
    storedIn: (organization, object, range) =>
      tables.read(function* (sql) {
        const values = [organization, object, range.from, Math.min(range.to, LAST_TIME)]
        const counts = [
          (yield* sql.one<Counted>(COUNTED, values))!,
          (yield* sql.one<Counted>(IN_BLOCKS, values))!,
          ...(yield* atTheEdges(tablesOf(sql, organization, object), range)),
        ]
        const sum = (of: keyof Counted) => counts.reduce((all, each) => all + Number(each[of]), 0)
        return { positions: sum('shown'), hidden: sum('rows') - sum('shown') }
      }),
    async erasures(organization, object) {
      if (organization === null) return plainRows<Erasure>(tables, LISTED_OF_ALL)
      const bounds = [object ?? 0, object ?? Number.MAX_SAFE_INTEGER]
      return plainRows<Erasure>(tables, LISTED, [organization, ...bounds])
    },
  }
}

// biome-ignore lint/correctness/useYield: it reads a block that is at hand
function* unpacked(block: StoredBlock): Work<StoredRow[]> {
  return unpackRows(block)
}

/** The rows of a range in the blocks that begin before it or end after it. */
function* atTheEdges({ blocks }: PackTables, range: TimeRange): Work<Counted[]> {
  const counts: Counted[] = []
  const edges = [
    yield* blocks.next({ after: range.from - 1, to: range.to }),
    yield* blocks.previous({ after: range.from - 1, to: range.to }),
  ]
  const [first, last] = edges
  const distinct = first?.first === last?.first ? [first] : edges
  for (const block of distinct) {
    if (!block || (block.first >= range.from && block.last <= range.to)) continue
    const rows = yield* unlessDamaged(() => unpacked(block))
    if (rows === DAMAGED) continue
    const mine = rows.filter(({ time }) => isWithin(range, time))
    counts.push({ rows: mine.length, shown: mine.filter(({ hidden }) => hidden === null).length })
  }
  return counts
}

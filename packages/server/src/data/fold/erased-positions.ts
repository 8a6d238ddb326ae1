import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import {
  type Erasure,
  type ErasureState,
  MAX_ERASURES,
  type PositionStore,
} from '../../engine/store/position-store.ts'
import { takeRange } from '../../engine/tracking/take-range.ts'
import { isOfRange } from '../../engine/tracking/withheld.ts'
import { DAMAGED, unlessDamaged, type Work } from '../../engine/tracking/work.ts'
import type { PackTables, TablesOf } from '../positions/position-tables.ts'
import { type StoredBlock, type StoredRow, unpackRows } from '../positions/stored-blocks.ts'
import { noted } from '../tables/audit.ts'
import { type OrganizationSql, plainRows, type Sql, type Tables } from '../tables/sql.ts'
import { forgetDeliveries } from '../tables/webhooks.ts'
import type { FoldBuffer } from './fold-buffer.ts'
import type { FoldTargets, FoldWrite } from './fold-targets.ts'
import { rejectRows } from './rejects.ts'

/** Positions per transaction. Deleting them, and folding those after them again, takes some ten milliseconds. */
const SLICE_POSITIONS = 500

const COLUMNS =
  'organization, object, from_time AS "from", to_time AS "to", erased_at AS "erasedAt", seq, state, done_at AS "doneAt"'
const LISTED = `
  SELECT ${COLUMNS} FROM erasures
  WHERE organization = $1 AND object BETWEEN $2 AND $3 ORDER BY object, from_time, to_time`
const LISTED_OF_ALL = `
  SELECT ${COLUMNS} FROM erasures ORDER BY organization, object, from_time, to_time`
const IS_OBJECT = 'SELECT id FROM objects WHERE organization = $1 AND id = $2'
const COUNT = 'SELECT count(*) AS count FROM erasures WHERE organization = $1 AND object = $2'
const ADD = `
  INSERT INTO erasures (organization, object, from_time, to_time, erased_at, seq, state)
  VALUES ($1, $2, $3, $4, $5, 0, 'under_way')
  ON CONFLICT (organization, object, from_time, to_time)
    DO UPDATE SET erased_at = excluded.erased_at, state = excluded.state, done_at = NULL`
const ONE = `
  SELECT ${COLUMNS} FROM erasures
  WHERE organization = $1 AND object = $2 AND from_time = $3 AND to_time = $4`
const PENDING = "SELECT organization FROM erasures WHERE state = 'under_way' LIMIT 1"
const NEXT = `
  SELECT ${COLUMNS} FROM erasures
  WHERE organization = $1 AND state = 'under_way' ORDER BY object, from_time LIMIT 1`
const PROGRESS = `
  UPDATE erasures SET seq = $5, state = $6, done_at = $7
  WHERE organization = $1 AND object = $2 AND from_time = $3 AND to_time = $4`

const COUNTED = `
  SELECT count(*) AS rows, count(*) - count(hidden) AS shown FROM positions
  WHERE organization = $1 AND object = $2 AND time_device BETWEEN $3 AND $4`
const IN_BLOCKS = `
  SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(shown), 0) AS shown FROM position_blocks
  WHERE organization = $1 AND object = $2 AND first_time >= $3 AND first_time <= $4
    AND last_time <= $4`
type Counted = { rows: number; shown: number }

/**
 * Deletes positions of ranges of time. The range is written at first, so that from then on none of it is stored again. Then
 * its positions go in slices, the newest first: after each one the object is as if these had never come.
 */
export function positionEraser(
  tables: Tables,
  targets: FoldTargets,
  buffered: (write: FoldWrite) => FoldBuffer,
  tablesOf: TablesOf,
): Pick<PositionStore, 'erase' | 'eraseSlice' | 'erasures' | 'storedIn'> {
  const { readAll, change, dialect } = tables
  const rejects = rejectRows(dialect)

  /** The rejected packets of the range go too: they are kept with their places. */
  function* dropRejects(sql: OrganizationSql, object: number, range: TimeRange): Work<void> {
    const known = (yield* rejects.listed(sql, sql.organization, [object])).get(object) ?? []
    const left = known.filter((each) => !isOfRange(range, each))
    if (left.length < known.length) rejects.save(sql, sql.organization, [[object, left]])
  }

  function* eraseNext(sql: OrganizationSql, rules: FoldRules, now: number): Work<number> {
    const next = yield* sql.one<Erasure>(NEXT, [sql.organization])
    if (next === undefined) return 0
    const { object, from, to, seq } = next
    const write = yield* targets.begin(sql, [object])
    const target = write.find(object)!
    const buffer = buffered(write)
    const taken = yield* unlessDamaged(() =>
      takeRange(buffer, target, { from, to }, SLICE_POSITIONS, write.change, rules),
    )
    const count = taken === DAMAGED ? 0 : taken.fixes.length
    const state: ErasureState =
      taken === DAMAGED ? 'damaged' : count < SLICE_POSITIONS ? 'done' : 'under_way'
    yield* dropRejects(sql, object, next)
    if (state === 'done') forgetDeliveries(sql, from)
    const last = count === 0 ? seq : yield* sql.logged()
    const doneAt = state === 'done' ? now : null
    sql.run(PROGRESS, [sql.organization, object, from, to, last, state, doneAt])
    if (taken === DAMAGED || count === 0) return 0
    yield* buffer.flush()
    write.save(new Map([[object, taken.target]]), null)
    return count
  }

  return {
    async erase(organization, object, { from, to }, now, note) {
      return change(organization, function* (sql) {
        if ((yield* sql.one(IS_OBJECT, [organization, object])) === undefined) return null
        const { count } = (yield* sql.one<{ count: number }>(COUNT, [organization, object]))!
        const known = yield* sql.one<Erasure>(ONE, [organization, object, from, to])
        if (known === undefined && count >= MAX_ERASURES) return 'too_many'
        sql.run(ADD, [organization, object, from, to, now])
        // Processes that have the object in memory read it again, with the range.
        sql.changed('objects')
        const seq = known?.seq ?? 0
        const whose = { organization, object }
        const underWay = { state: 'under_way', doneAt: null } as const
        const erasure: Erasure = { ...whose, from, to, erasedAt: now, seq, ...underWay }
        return yield* noted(sql, erasure, note)
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

import { addAll } from '../../base/domain/common/any-number.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { NewerPositions, type UnreadablePositions, type Work } from '../../engine/tracking/work.ts'
import { byMoment, type Expiring, expiringAfter } from '../tables/expiring.ts'
import type { OrganizationSql, Sql, Tables } from '../tables/sql.ts'
import { BEGINNING, unpackBlock } from './packing.ts'
import type { PackTables, PositionForm, TablesOf } from './position-tables.ts'

/** A slice looks at this many objects. */
const SLICE_OBJECTS = 50

const OF = 'organization = $1 AND object = id AND'
/** The first row and the second one, without hidden ones, and the first block of the objects that wait for no fold. */
const oldestOf = (isListed: string) => `
  SELECT id,
    (SELECT first_time FROM position_blocks WHERE ${OF} first_time < $3
      ORDER BY first_time LIMIT 1) AS block,
    (SELECT CASE WHEN hidden IS NULL THEN time_device END FROM positions WHERE ${OF} time_device < $3
      ORDER BY time_device LIMIT 1) AS oldest,
    (SELECT time_device FROM positions WHERE ${OF} time_device < $3
      ORDER BY time_device LIMIT 1 OFFSET 1) AS second
  FROM objects WHERE organization = $1 AND ${isListed}
    AND NOT EXISTS (SELECT 1 FROM refolds WHERE organization = $1 AND object = id)
  ORDER BY id`

type Due = { id: number; before: number }
type Oldest = { id: number; block: number | null; oldest: number | null; second: number | null }

const EXPIRED = 'organization = $1 AND object = $2 AND time_device < $3'
/** The newest expired row, or the one after as many as are deleted at once. */
const BASE = `
  SELECT coalesce(
    (SELECT time_device FROM positions WHERE ${EXPIRED} ORDER BY time_device LIMIT 1 OFFSET $4),
    (SELECT max(time_device) FROM positions WHERE ${EXPIRED})) AS time`
const REMOVE = `DELETE FROM positions WHERE ${EXPIRED}`
/** It notes no change, so rows that were just read may still be shown. */
const hideAsOf = (change: string) => `
  UPDATE positions SET hidden = ${change}
  WHERE organization = $1 AND object = $2 AND time_device = $3 AND hidden IS NULL`

/**
 * The counters of later positions build on those of the newest expired one. So each object keeps that one
 * as its hidden oldest row, after each transaction, however far the deletion got.
 */
export function expiredPurger(
  { dialect, read, change }: Tables,
  { newestChange, purgedAtOnce }: PositionForm,
  tablesOf: TablesOf,
): PositionStore['purgeExpired'] {
  const oldest = oldestOf(dialect.isIn('id', '$2'))
  const hide = hideAsOf(newestChange)

  /** Objects that have more expired positions than the hidden one that must stay. The counters of those that wait for a fold are unknown. */
  function* dueOf({ all }: Sql, organization: number, objects: readonly number[], before: number) {
    const rows = yield* all<Oldest>(oldest, [organization, dialect.list(objects), before])
    return rows.filter((row) => isDue(row, before)).map(({ id }): Due => ({ id, before }))
  }

  /** The same of objects with their moments, in the order of their ids. */
  function* dueAmong(sql: Sql, organization: number, expiring: readonly Expiring[]): Work<Due[]> {
    const due: Due[] = []
    for (const { before, objects } of expiring) {
      addAll(due, yield* dueOf(sql, organization, objects, before))
    }
    return due.sort((a, b) => a.id - b.id)
  }

  /** Deletes expired positions of one object. Returns the number of deleted rows; `atMost` if there may be more. */
  function* purgeObject(
    sql: OrganizationSql,
    { failures }: PurgeTry,
    object: number,
    before: number,
    atMost: number,
  ): Work<number> {
    const { organization, one, count, run } = sql
    const tables = tablesOf(sql, organization, object)
    const { until, cost, damaged } = yield* removeExpired(tables, before, atMost)
    if (damaged !== null) failures.push(damaged)
    const base = yield* one<{ time: number | null }>(BASE, [organization, object, until, atMost])
    const time = base!.time
    const removed = time === null ? 0 : yield* count(REMOVE, [organization, object, time])
    if (time !== null) run(hide, [organization, object, time])
    return until < before ? atMost : Math.min(atMost, cost + removed)
  }

  return async (organization, before, after, failed) => {
    const { expiring, next: end } = await read((sql) =>
      expiringAfter(sql, organization, before, after, SLICE_OBJECTS),
    )
    const found = await read((sql) => dueAmong(sql, organization, expiring))
    if (found.length === 0) return end
    function* purge(sql: OrganizationSql, attempt: PurgeTry): Work<number | null> {
      let left = purgedAtOnce
      // Rows may have been packed, and objects may wait for a fold by now.
      for (const { id: object, before } of yield* dueAmong(sql, organization, byMoment(found))) {
        if (attempt.skipped.has(object)) continue
        attempt.object = object
        left -= yield* purgeObject(sql, attempt, object, before, left)
        // Continue at the same object, which may have more.
        if (left === 0) return object - 1
      }
      return end
    }
    return passingOver((attempt) => change(organization, (sql) => purge(sql, attempt)), failed)
  }
}

/** Objects without packed positions keep none longer: see `MAX_LATER_MS`. */
function isDue({ block, oldest, second }: Oldest, before: number): boolean {
  const row = oldest ?? second
  if (block === null) return row !== null
  return Math.min(block, row ?? before) < before - MAX_LATER_MS
}

/**
 * How long an object keeps expired positions if its oldest ones are packed. To remove some rows of a block, it is unpacked and
 * packed again.
 */
const MAX_LATER_MS = DAY_MS

/** A block takes as long as this many rows. */
const ROWS_OF_BLOCK = 50

/**
 * Removes the first expired blocks of an object: as many as take as long as `atMost` rows. A block goes back into the table of
 * positions if some of its rows stay, or if later counters build on its last row. `until`: the moment from which rows stay after
 * this slice. The caller removes the older rows of the table, except the newest. `cost`: the number of deleted rows that take as long.
 * `damaged`: the block that had to be unpacked. It stays as a whole until its last row has expired; one of a newer version
 * stays after that, because that version can read the counters that later ones build on.
 */
function* removeExpired(
  tables: PackTables,
  before: number,
  atMost: number,
): Work<{ until: number; cost: number; damaged: UnreadablePositions | null }> {
  let left = Math.ceil(atMost / ROWS_OF_BLOCK)
  let cost = 0
  for (let after = BEGINNING; ; left -= 1) {
    const block = yield* tables.blocks.next({ after, to: before - 1 })
    if (block === null) return { until: before, cost, damaged: null }
    const isLast =
      left === 0 || block.last >= before || !(yield* hasRows(tables, block.last, before))
    if (!isLast) {
      tables.removeBlock(block)
      cost += ROWS_OF_BLOCK
      after = block.last
      continue
    }
    const damaged = unpackBlock(tables, block)
    const stays = damaged instanceof NewerPositions || (damaged !== null && block.last >= before)
    if (damaged !== null && !stays) tables.removeBlock(block)
    return {
      until: left === 0 ? block.first + 1 : before,
      // One that stays costs nothing. Otherwise its object would use up each slice, and no other would have its turn.
      cost: stays ? cost : cost + block.rows,
      damaged: stays ? damaged : null,
    }
  }
}

/** Whether there are expired rows after a moment. */
function* hasRows({ rows, blocks }: PackTables, after: number, before: number): Work<boolean> {
  const later = { after, to: before - 1 }
  return (yield* rows.first(later, 1)).length > 0 || (yield* blocks.next(later)) !== null
}

/** An attempt to purge a slice of objects in one transaction. */
type PurgeTry = {
  /** Objects that failed in a try before. */
  readonly skipped: ReadonlySet<number>
  /** The one that is purged now. Null: none yet. */
  object: number | null
  /** The damage that was found. */
  readonly failures: unknown[]
}

/** Purges a slice of objects, without those that cannot be purged. `failed` gets the reasons. */
async function passingOver<T>(
  purge: (attempt: PurgeTry) => Promise<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  const skipped = new Set<number>()
  for (;;) {
    const attempt: PurgeTry = { skipped, object: null, failures: [] }
    try {
      const result = await purge(attempt)
      for (const failure of attempt.failures) failed(failure)
      return result
    } catch (error) {
      if (error instanceof StoreUnavailable || attempt.object === null) throw error
      failed(error)
      skipped.add(attempt.object)
    }
  }
}

import { runAtOnce } from '../../base/domain/common/steps.ts'
import { withOwnSettings } from '../../base/domain/monitored-object.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { takeNotes } from '../../engine/store/change-entries.ts'
import { shownRecord } from '../../engine/store/shown-row.ts'
import { MAX_REPORTED, type ShownPosition } from '../../engine/store/store.ts'
import type { ChangeNotes, FindFoldTarget, FoldTarget } from '../../engine/tracking/fold-tables.ts'
import { NO_SHIFTS } from '../../engine/tracking/object-shifts.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { shiftReader } from '../positions/shifts.ts'
import type { WrittenRow } from '../positions/table-rows.ts'
import { itemForm, OBJECTS } from '../tables/item-columns.ts'
import type { Dialect, OrganizationSql, Sql } from '../tables/sql.ts'
import { erasedRanges } from './erased-ranges.ts'
import { stateRows } from './object-states.ts'

/**
 * Caches the objects that this process last read or wrote, so that a live feed reads nothing. The cache
 * is valid only while no other process has changed the organization's objects or states; each transaction
 * learns that when it begins.
 */
export type FoldTargets = {
  /** Adds objects to a transaction. Reads those that are not in the cache. Call it at most once. */
  begin(sql: OrganizationSql, objects: Iterable<number>): Work<FoldWrite>
}

export type FoldWrite = {
  readonly sql: OrganizationSql
  /** The number of this change. It is used only if objects are saved. */
  readonly change: number
  /** Takes what changes of the positions of objects that are saved afterwards. */
  readonly notes: ChangeNotes
  /** Finds one of the named objects. */
  find: FindFoldTarget
  /**
   * Saves changed objects. Call it at most once. `rules`: the version of those that folded; null: none did. `written`: the
   * rows of their positions, which watchers get.
   */
  save(
    touched: ReadonlyMap<number, FoldTarget>,
    rules: number | null,
    written?: () => readonly WrittenRow[],
  ): void
}

/** The cache holds this many objects of all organizations. Beyond that it is emptied. */
const MAX_CACHED_OBJECTS = 200_000

/** The cached objects of an organization, and the changes as of which they are valid. */
type Cached = {
  objectsAt: number
  statesAt: number
  byId: Map<number, FoldTarget>
  /** Whether the transaction that used them last was undone: then they are wrong. */
  isUndone: OrganizationSql['isUndone']
}

export function foldTargets(dialect: Dialect): FoldTargets {
  const readTargets = targetReader(dialect)
  const states = stateRows(dialect)
  const cached = new Map<number, Cached>()
  let size = 0

  function cachedFor(sql: OrganizationSql, objectsAt: number, statesAt: number): Cached {
    if (size > MAX_CACHED_OBJECTS) {
      cached.clear()
      size = 0
    }
    const existing = cached.get(sql.organization)
    const isCurrent = existing?.objectsAt === objectsAt && existing.statesAt === statesAt
    if (isCurrent && !existing.isUndone()) {
      existing.isUndone = sql.isUndone
      return existing
    }
    size -= existing?.byId.size ?? 0
    const fresh = { objectsAt, statesAt, byId: new Map(), isUndone: sql.isUndone }
    cached.set(sql.organization, fresh)
    return fresh
  }

  return {
    *begin(sql, objects) {
      const { organization } = sql
      const versions = yield* sql.versions()
      const mine = cachedFor(sql, versions.objects, versions.states)
      const missing = [...new Set(objects)].filter((id) => !mine.byId.has(id))
      if (missing.length > 0) {
        const read = yield* readTargets(sql, organization, missing)
        for (const each of read) mine.byId.set(each.object.id, each)
        size += read.length
      }
      const notes = takeNotes()
      return {
        sql,
        change: versions.change,
        notes,
        find: (object) => mine.byId.get(object) ?? null,
        save(touched, rules, written = () => []) {
          if (touched.size === 0) return
          const folded = Array.from(touched.values(), (each) =>
            each.rules === null ? { ...each, rules } : each,
          )
          const stored = new Map(folded.map(({ object, state }) => [object.id, state]))
          states.save(sql, organization, folded)
          sql.log({ objects: notes.entries(touched.keys(), (id) => mine.byId.get(id)) })
          const positions = () => {
            const rows = written()
            if (rows.length > MAX_REPORTED) return []
            return rows.map((row) => shownNow(row, touched.get(row.object)!))
          }
          mine.statesAt = sql.stored({ states: stored, previous: versions.states, positions })
          for (const now of folded) mine.byId.set(now.object.id, now)
        },
      }
    },
  }
}

function shownNow(row: WrittenRow, { shifts }: FoldTarget): ShownPosition {
  const { object, time, hidden } = row
  const isShifted = hidden === null && shifts.all.length > 0
  const shown = isShifted ? shownRecord({ ...row, fix: Buffer.from(row.fix) }, shifts) : row.fix
  return { object, time, record: hidden === null ? shown : null }
}

const NONE_ERASED: Pick<FoldTarget, 'erased' | 'erasedValues'> = {
  erased: [],
  erasedValues: new Map(),
}

/** The settings that the fold takes from the organization. */
const OWNER = `
  SELECT maximum_gap AS "maximumGap", time_zone AS "timeZone" FROM organizations WHERE id = $1`

/** Reads objects with their states and shifts: all at once. */
function targetReader(dialect: Dialect) {
  const { columns, item } = itemForm(OBJECTS)
  const objectsOf = `
    SELECT ${columns} FROM objects WHERE organization = $1 AND ${dialect.isIn('id', '$2')}`
  const states = stateRows(dialect)
  const shiftsAmong = shiftReader(dialect)
  const erasedAmong = erasedRanges(dialect)

  return function* (sql: Sql, organization: number, ids: number[]): Work<FoldTarget[]> {
    const owners = sql.all<Pick<Organization, 'maximumGap' | 'timeZone'>>(OWNER, [organization])
    const objects = sql.all<object>(objectsOf, [organization, dialect.list(ids)])
    const reading = states.listed(sql, organization, ids)
    const shifting = shiftsAmong(sql, organization, ids)
    const erasing = erasedAmong(sql, organization, ids)
    const [owner] = yield* owners
    const rows = yield* objects
    const known = new Map((yield* reading).map((each) => [each.object, each]))
    const shifts = yield* shifting
    const erased = yield* erasing
    return rows.map((row) => {
      const object = withOwnSettings(runAtOnce(item(row)), owner!)
      const { id } = object
      const { state, rules } = known.get(id) ?? { state: UNSEEN, rules: null }
      const parts = { shifts: shifts.get(id) ?? NO_SHIFTS, ...(erased.get(id) ?? NONE_ERASED) }
      return { object, state, ...parts, rules }
    })
  }
}

import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { sourceNames } from '../../../base/domain/attributes/attribute-source.ts'
import { minOf } from '../../../base/domain/common/any-number.ts'
import type { AttributeNames } from '../../../base/domain/position/attribute-section.ts'
import type { StoredRecord } from '../../../base/domain/record.ts'
import { LAST_TIME, type TimeRange } from '../../../base/domain/time/time.ts'
import type { Work } from '../../tracking/work.ts'
import { Book } from '../rules/book.ts'
import { type Derivation, type Derived, noProgress } from '../rules/progress.ts'
import { deriveLevels } from './derive-levels.ts'
import { foldOf, keepFold } from './kept-folds.ts'
import { type LevelEntries, levelDigest } from './level-digests.ts'
import { type ChangeDraft, changeDrafts } from './level-drafts.ts'
import type { LevelProgress } from './level-progress.ts'
import { type LevelRecords, levelRows, levelSource } from './level-source.ts'
import { levelSettings } from './samples.ts'

export type ObjectLevels = Pick<Derivation, 'places' | 'nextId' | 'now' | 'touched'> & {
  readonly source: LevelRecords
  readonly object: number
  /** The names of its attributes. */
  readonly names: AttributeNames
  readonly entries: LevelEntries
  /** The progress of the last derivation. */
  readonly levels: readonly LevelProgress[]
  /** The time of the newest row. Null: the object has none. */
  readonly newest: number | null
}

type DerivedChanges = Pick<Derived, 'puts' | 'deletes' | 'rows'> & {
  readonly levels: readonly LevelProgress[]
  /** Whether rows are left for another derivation. */
  readonly isCut: boolean
}

/** The changes of a level that replace its stored ones that end from `from` to `until`. */
type Replacement = {
  readonly attribute: number
  readonly from: number
  readonly until: number
  readonly drafts: readonly ChangeDraft[]
}

/** Derives the changes of the levels of an object that touched rows, or other settings, may have changed. */
export function* deriveObjectLevels(parts: ObjectLevels): Work<DerivedChanges> {
  const { source, levels } = parts
  const derived: DerivedLevel[] = []
  for (const entry of entriesOf(parts)) derived.push(yield* deriveLevel(parts, entry))
  const kept = new Set(derived.map(({ progress }) => progress.attribute))
  const gone = levels.filter(({ attribute }) => !kept.has(attribute))
  const replaced = [
    ...derived.flatMap(({ replaced }) => replaced),
    ...gone.map(({ attribute }) => ({ attribute, from: 0, until: LAST_TIME, drafts: [] })),
  ]
  const book = new Book(parts)
  if (replaced.length > 0) {
    const from = minOf(replaced.map((each) => each.from))
    const stored = yield* source.changesIn({ from, to: LAST_TIME })
    book.loadAll(stored.filter((each) => replaced.some((by) => isReplaced(each, by))))
    book.replace(
      [...book.all()],
      replaced.flatMap(({ drafts }) => drafts),
    )
  }
  return {
    ...book.close(noProgress()),
    levels: derived.map(({ progress }) => progress),
    rows: derived.reduce((rows, each) => rows + each.rows, 0),
    isCut: derived.some(({ isCut }) => isCut),
  }
}

/** The levels that the object has, or had at the last derivation. */
function entriesOf({ entries, names, levels, newest }: ObjectLevels): LevelEntries {
  if (newest === null) return []
  const sent = new Set(names.map(({ name }) => name))
  return entries.filter(
    (entry) =>
      levels.some(({ attribute }) => attribute === entry.id) ||
      sourceNames(entry).some((name) => sent.has(name)),
  )
}

function isReplaced({ record }: StoredRecord, { attribute, from, until }: Replacement): boolean {
  return (
    record.kind === 'level' &&
    record.attribute === attribute &&
    record.until >= from &&
    record.until <= until
  )
}

type DerivedLevel = Pick<DerivedChanges, 'rows' | 'isCut'> & {
  readonly progress: LevelProgress
  readonly replaced: readonly Replacement[]
}

/** Some 50 ms of an object in one go. */
const MAX_ROWS = 20_000

function* deriveLevel(parts: ObjectLevels, entry: StoredAttribute): Work<DerivedLevel> {
  const { object, levels, touched, newest } = parts
  const attribute = entry.id
  const settings = levelSettings(entry, object)
  const digest = levelDigest(entry, object)
  const before = levels.find((each) => each.attribute === attribute)
  const isSame = before?.digest === digest
  const none = { attribute, digest, upTo: -1, newest: null, hasOpen: before !== undefined }
  let progress: LevelProgress = isSame ? before : none
  const source = levelSource(parts.source, entry, digest, levelRows(entry, object, parts.names))
  const replaced: Replacement[] = []
  let [rows, isCut] = [0, false]
  let left: readonly TimeRange[] = rangesSince(progress, touched, newest!)
  while (left.length > 0 && !isCut) {
    const isNewer = left[0]!.from > progress.upTo
    const found = yield* deriveLevels({
      ...{ source, settings, touched: left, limit: MAX_ROWS },
      ...{ newest: progress.newest, upTo: progress.upTo, fold: isNewer ? foldOf(progress) : null },
    })
    const { from, until, tail } = found
    const events = [...found.events, ...(tail?.open ?? [])]
    const drafts = yield* changeDrafts(parts, entry, digest, events)
    const isLate = from < (progress.newest?.first ?? 0)
    if (isLate || drafts.length > 0 || progress.hasOpen) {
      replaced.push({ attribute, from, until, drafts })
    }
    if (tail !== null) {
      const hasOpen = found.isCut || tail.open.length > 0
      progress = { ...progress, upTo: tail.upTo, newest: tail.newest, hasOpen }
      keepFold(progress, tail.fold)
    }
    rows += found.rows
    isCut = found.isCut
    left = found.left
  }
  return { progress, replaced, rows, isCut }
}

/**
 * The progress of levels while the other records of touched rows are left to another derivation: the changes of their levels
 * wait with them.
 */
export function levelsBefore(
  levels: readonly LevelProgress[],
  touched: readonly TimeRange[],
): LevelProgress[] {
  const from = minOf(touched.map((range) => range.from))
  return levels.map((each) => (from > each.upTo ? each : { ...each, upTo: from - 1 }))
}

/** The touched ranges by their starts: those of rows that were taken before, and all newer rows. */
function rangesSince(
  { upTo }: LevelProgress,
  touched: readonly TimeRange[],
  newest: number,
): TimeRange[] {
  const late = touched
    .filter(({ from }) => from <= upTo)
    .map(({ from, to }) => ({ from, to: Math.min(to, upTo) }))
    .sort((a, b) => a.from - b.from)
  return newest > upTo ? [...late, { from: upTo + 1, to: LAST_TIME }] : late
}

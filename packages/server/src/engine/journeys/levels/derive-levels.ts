import { isDeepStrictEqual } from 'node:util'
import { LAST_TIME, type TimeRange } from '../../../base/domain/time/time.ts'
import type { Work } from '../../tracking/work.ts'
import { LevelFold } from './level-fold.ts'
import type { LevelCheckpoint, LevelEvent, SettledEvent } from './level-state.ts'
import type { LevelRow, LevelSettings } from './samples.ts'

/** The rows and the stored events of one level of an object. */
export type LevelSource = {
  /** The rows from a time on, in order, at most `limit`. */
  rows(from: number, limit: number): Work<readonly LevelRow[]>
  /** The settled events that end at a time or later, in order. */
  eventsFrom(time: number): Work<readonly SettledEvent[]>
  /** The newest settled event that was settled before a time. */
  eventBefore(time: number): Work<SettledEvent | null>
}

export type LevelDerivation = {
  readonly source: LevelSource
  readonly settings: LevelSettings
  /** The newest checkpoint. Null: nothing was settled yet. */
  readonly newest: LevelCheckpoint | null
  /** The newest row that was taken, and the fold as of it, if it is still there. */
  readonly upTo: number
  readonly fold: LevelFold | null
  /** The times of the rows that were added, changed or deleted since then, by their starts. At least one. */
  readonly touched: readonly TimeRange[]
  /** The derivation ends after about this many rows. */
  readonly limit: number
}

/** The stored events that end from `from` up to `until` are replaced by these. */
export type DerivedLevels = {
  readonly from: number
  readonly until: number
  readonly events: readonly SettledEvent[]
  /**
   * The newest row that was taken, the newest checkpoint, and the events that later rows may change. Null: they stay as
   * they are.
   */
  readonly tail: {
    readonly upTo: number
    readonly newest: LevelCheckpoint | null
    readonly open: readonly LevelEvent[]
    readonly fold: LevelFold
  } | null
  /** Whether the limit came before the last row. */
  readonly isCut: boolean
  /** The touched ranges that are left for another derivation. */
  readonly left: readonly TimeRange[]
  /** The number of rows read. */
  readonly rows: number
}

const CHUNK_ROWS = 500

/**
 * Derives the events of a level again that touched rows may have changed: from the newest checkpoint before them to a
 * later event that is as it was, and that no other touched row can have changed.
 */
export function* deriveLevels(derivation: LevelDerivation): Work<DerivedLevels> {
  const { source, touched, limit } = derivation
  const { fold, from, isLate, ...begun } = yield* beginning(derivation)
  const stored = new Map<number, SettledEvent>()
  if (isLate) for (const event of yield* source.eventsFrom(from)) stored.set(event.end, event)
  const events: SettledEvent[] = []
  let { upTo } = begun
  for (let rows = 0; ; ) {
    const chunk = yield* source.rows(upTo + 1, CHUNK_ROWS)
    for (const row of chunk) {
      rows += 1
      for (const event of fold.add(row).events) {
        events.push(event)
        if (!isDeepStrictEqual(stored.get(event.end), event)) continue
        const left = touched.filter(({ to }) => to >= event.end)
        if (left.every((range) => range.from > event.checkpoint.settledAt))
          return { from, until: event.end, events, tail: null, isCut: false, left, rows }
      }
    }
    upTo = chunk.at(-1)?.time ?? upTo
    const newest = fold.settledUpTo() ?? begun.newest
    if (chunk.length < CHUNK_ROWS) {
      const tail = { upTo, newest, open: fold.tail().events, fold }
      return { from, until: LAST_TIME, events, tail, isCut: false, left: [], rows }
    }
    // The next derivation begins there, so that it needs another checkpoint.
    const isFurther = newest !== null && newest.first > from
    if (rows < limit || !isFurther) continue
    const tail = { upTo, newest, open: [], fold }
    return { from, until: newest.first - 1, events, tail, isCut: true, left: [], rows }
  }
}

/** Where a derivation begins. `from`: the first time at which an event may end that is not settled. */
type Beginning = {
  readonly fold: LevelFold
  readonly from: number
  readonly upTo: number
  readonly newest: LevelCheckpoint | null
  readonly isLate: boolean
}

function* beginning(derivation: LevelDerivation): Work<Beginning> {
  const { settings, touched, newest, upTo, fold } = derivation
  if (fold !== null && touched[0]!.from > upTo)
    return { fold, from: newest?.first ?? 0, upTo, newest, isLate: false }
  const start = yield* startOf(derivation)
  return {
    fold: new LevelFold(settings, start),
    from: start?.first ?? 0,
    upTo: (start?.time ?? 0) - 1,
    newest: start,
    isLate: start !== newest,
  }
}

/** The newest checkpoint that no touched row can change. Null: the derivation begins at the first row. */
function* startOf({ source, newest, touched }: LevelDerivation): Work<LevelCheckpoint | null> {
  const [{ from }] = touched as [TimeRange]
  if (newest !== null && newest.settledAt < from) return newest
  return (yield* source.eventBefore(from))?.checkpoint ?? null
}

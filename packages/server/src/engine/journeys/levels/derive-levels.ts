import { isDeepStrictEqual } from 'node:util'
import type { TimeRange } from '../../../base/domain/time/time.ts'
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
  /** The times of the rows that were added, changed or deleted since then. */
  readonly touched: TimeRange
}

/** The stored events that end from `from` up to `until` are replaced by these. */
export type DerivedLevels = {
  readonly from: number
  readonly until: number
  readonly events: readonly SettledEvent[]
  /** The newest checkpoint, and the events that later rows may change. Null: they stay as they are. */
  readonly tail: {
    readonly newest: LevelCheckpoint | null
    readonly open: readonly LevelEvent[]
  } | null
  /** The number of rows read. */
  readonly rows: number
}

const CHUNK_ROWS = 500

const AFTER_ALL = Number.MAX_SAFE_INTEGER

/**
 * Derives the events of a level again that touched rows may have changed: from the newest checkpoint before them to a
 * later event that is as it was.
 */
export function* deriveLevels(derivation: LevelDerivation): Work<DerivedLevels> {
  const { source, settings, touched } = derivation
  const start = yield* startOf(derivation)
  const from = start?.first ?? 0
  const isLate = start !== derivation.newest
  const stored = new Map<number, SettledEvent>()
  if (isLate) for (const event of yield* source.eventsFrom(from)) stored.set(event.end, event)
  const fold = new LevelFold(settings, start)
  const events: SettledEvent[] = []
  let time = start?.time ?? 0
  for (let rows = 0; ; ) {
    const chunk = yield* source.rows(time, CHUNK_ROWS)
    for (const row of chunk) {
      rows += 1
      for (const event of fold.add(row).events) {
        events.push(event)
        const isSame = isDeepStrictEqual(stored.get(event.end), event)
        if (isSame && touched.to < event.end)
          return { from, until: event.end, events, tail: null, rows }
      }
    }
    if (chunk.length < CHUNK_ROWS) {
      const tail = { newest: fold.settledUpTo() ?? start, open: fold.tail().events }
      return { from, until: AFTER_ALL, events, tail, rows }
    }
    time = chunk.at(-1)!.time + 1
  }
}

/** The newest checkpoint that no touched row can change. Null: the derivation begins at the first row. */
function* startOf({ source, newest, touched }: LevelDerivation): Work<LevelCheckpoint | null> {
  if (newest !== null && newest.settledAt < touched.from) return newest
  return (yield* source.eventBefore(touched.from))?.checkpoint ?? null
}

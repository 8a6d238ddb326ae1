import type { MonitoredObject, ObjectSettings } from '../../base/domain/monitored-object.ts'
import type { TrackerMove } from '../../base/domain/tracker-move.ts'
import type { ObjectStore } from '../../engine/store/item-store.ts'
import { noted } from './audit-tables.ts'
import { OBJECTS } from './item-columns.ts'
import { type ClaimIdents, type ItemParts, identMover, itemWork, noteItems } from './item-tables.ts'
import { unlimited } from './items-draft.ts'
import { plainRows, type Tables } from './sql.ts'

const MOVES = `
  SELECT ident, since, object, successor FROM tracker_moves WHERE organization = $1
  ORDER BY ident, since`
const HOLDER = 'SELECT id FROM objects WHERE organization = $1 AND ident = $2'
const LAST_MOVE = `
  SELECT max(since) AS since FROM tracker_moves WHERE organization = $1 AND ident = $2`
const ADD = `
  INSERT INTO tracker_moves (organization, ident, since, object, successor, requested_at, is_done)
  VALUES ($1, $2, $3, $4, $5, $6, false)`

/** Moves trackers between objects. Their positions follow in slices (`data/fold/moved-positions.ts`). */
export function trackerMoves(
  tables: Tables,
  parts: ItemParts,
  claim: ClaimIdents,
): Pick<ObjectStore, 'moveTracker' | 'trackerMoves'> {
  const { draftOf, replace } = itemWork<ObjectSettings>(tables.dialect, parts, OBJECTS)
  const moveIdents = identMover<ObjectSettings>(tables.dialect, claim)
  // biome-ignore lint/correctness/useYield: it reads nothing
  const noLimit = function* () {
    return unlimited
  }

  return {
    moveTracker: (organization, id, { ident, since, formerIdent }, now, note) =>
      tables.change(organization, function* (sql) {
        const holder = (yield* sql.one<{ id: number }>(HOLDER, [organization, ident]))?.id
        if (holder === undefined || holder === id) return { outcome: 'ident_is_free' } as const
        const last = yield* sql.one<{ since: number | null }>(LAST_MOVE, [organization, ident])
        if (last?.since != null && last.since >= since)
          return { outcome: 'moved_later', since: last.since } as const
        const draft = yield* draftOf(sql, [
          { id: holder, ident: formerIdent },
          { id, ident },
        ])
        const [before, existing] = [draft.find(holder)!, draft.find(id)]
        if (existing === null) return null
        const freed = yield* replace(
          sql,
          draft,
          before,
          { ...before, ident: formerIdent },
          now,
          noLimit,
        )
        if (freed.outcome === 'ident_taken') return 'ident_taken'
        yield* replace(sql, draft, existing, { ...existing, ident }, now, noLimit)
        sql.run(ADD, [organization, ident, since, holder, id, now])
        const after: MonitoredObject = draft.find(id)!
        // The organization keeps the ident that moves.
        yield* moveIdents(sql, [[existing, draft.find(holder)!]])
        noteItems(
          sql,
          'objects',
          [holder, id].sort((a, b) => a - b),
        )
        return yield* noted(sql, after, note, existing)
      }),
    trackerMoves: (organization) => plainRows<TrackerMove>(tables, MOVES, [organization]),
  }
}

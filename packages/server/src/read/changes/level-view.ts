import { passedOn } from '../../base/domain/common/passed-on.ts'
import type { LevelEntries } from '../../engine/journeys/levels/level-digests.ts'
import type { LoggedChange, ReaderView } from '../../engine/store/change-log.ts'
import { placesOfLevels } from '../rows/record-selection.ts'

/** A view as if the organization had only the changes of these levels. */
export function levelView(view: ReaderView, levels: LevelEntries): ReaderView {
  const visible = new Set(levels.map(({ id }) => id))
  return {
    ...passedOn(
      view,
      ['asOf', 'epoch', 'oldest', 'organization', 'progress', 'tasks', 'states', 'checkpoint'],
      ['items', 'itemsAfter', 'retentions', 'positions', 'range', 'newest', 'newestIn'],
      ['earlierTrips', 'rows', 'rowsBefore', 'records', 'page', 'withRecords'],
    ),
    changes: async (after, limit) =>
      (await view.changes(after, limit)).map((change) => withLevels(change, visible)),
    recordsOf: (type, objects, range, after, limit) =>
      type === 'levels'
        ? view.page({
            ...EVERY,
            type,
            objects,
            range,
            after,
            limit,
            places: placesOfLevels(levels),
          })
        : view.recordsOf(type, objects, range, after, limit),
  }
}

const EVERY = { minDuration: 0 }

function withLevels(change: LoggedChange, visible: ReadonlySet<number>): LoggedChange {
  const { entries, places } = change
  const isShown = (index: number) => {
    const { attribute } = entries.records[index]!
    return attribute === undefined || visible.has(attribute)
  }
  const shown = [...entries.records.keys()].filter(isShown)
  if (shown.length === entries.records.length) return change
  const { retainedBefore, attributes, items, objects } = entries
  const records = shown.map((index) => entries.records[index]!)
  return {
    ...{ seq: change.seq, at: change.at },
    entries: { retainedBefore, attributes, items, objects, records },
    ...(places && {
      places: { ...places, records: shown.map((index) => places.records[index]!) },
    }),
  }
}

import { addAll } from '../../base/domain/common/any-number.ts'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import { type Items, type ItemTopic, RECORD_TYPES } from '../../base/domain/items.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { keyOf } from '../../base/domain/record.ts'
import { isWithin, type TimeRange } from '../../base/domain/time/time.ts'
import type { ObjectEntry, RecordEntry } from '../../engine/store/change-entries.ts'
import type { LoggedChange, ReaderView } from '../../engine/store/change-log.ts'
import type { OwnedRecord, RecordOffset, RecordQuery } from '../../engine/store/record-store.ts'
import { boundedStates, type Narrowing, type Reading } from './narrowing.ts'

/** A view as if the organization had only what a scope opens. */
export function scopedView(view: ReaderView, narrowing: Narrowing, reading: Reading): ReaderView {
  const { sees, own, shows, part, times } = narrowing
  return {
    ...passedOn(view, ['asOf', 'epoch', 'oldest', 'organization', 'progress', 'tasks']),
    ...scopedItems(view, narrowing),
    changes: async (after, limit) =>
      visibleChanges(view, narrowing, await view.changes(after, limit)),
    states: (objects) =>
      times === null
        ? view.states(own(objects))
        : boundedStates(view, own(objects), times, reading),
    async positions(wanted) {
      const found = await view.positions(wanted)
      return found.map((record, index) => {
        const { object, time } = wanted[index]!
        return sees(object) && shows(time) ? record : null
      })
    },
    async range(object, after, to, limit) {
      const visible = part({ from: after + 1, to })
      if (!sees(object) || visible.from > visible.to) return []
      return view.range(object, visible.from - 1, visible.to, limit)
    },
    newest: (objects, range) => view.newest(own(objects), part(range)),
    newestIn: (wanted) =>
      view.newestIn(
        wanted
          .filter(({ object }) => sees(object))
          .map(({ object, ...range }) => ({ object, ...part(range) })),
      ),
    earlierTrips: async (object, from, tripsSince) =>
      sees(object) ? view.earlierTrips(object, from, tripsSince) : [],
    ...scopedRows(view, narrowing),
    // A level of a range of time begins at its first visible row.
    checkpoint: async (object, time, attribute) =>
      sees(object) && times === null ? view.checkpoint(object, time, attribute) : null,
    records: async (type, ids) => (await view.records(type, ids)).flatMap(narrowing.record),
    recordsOf: (type, objects, range, after, limit) =>
      readVisible(narrowing, after, limit, (from, size) =>
        view.recordsOf(type, own(objects), part(range), from, size),
      ),
    page: (query) => visiblePage(narrowing, query, view.page),
    async withRecords({ objects, ...selection }) {
      const range = part(selection.range)
      const found = await view.withRecords({ ...selection, range, objects: own(objects) })
      if (times === null) return found
      // A record that overlaps the range may be invisible, because a part of it is outside of the range.
      const visible: number[] = []
      for (const object of found) {
        const first = { ...selection, objects: [object], after: null, limit: 1 }
        if ((await visiblePage(narrowing, first, view.page)).length > 0) visible.push(object)
      }
      return visible
    },
  }
}

function scopedItems(
  view: ReaderView,
  narrowing: Narrowing,
): Pick<ReaderView, 'items' | 'itemsAfter'> {
  function visible<Topic extends ItemTopic>(topic: Topic, items: Items[Topic][]): Items[Topic][] {
    if (topic !== 'objects') return items
    const objects = items as MonitoredObject[]
    return objects
      .filter(({ id }) => narrowing.sees(id))

      .map(narrowing.object) as Items[Topic][]
  }

  return {
    items: async (topic, ids) => visible(topic, await view.items(topic, ids)),
    async itemsAfter(topic, after, limit) {
      const { objects } = narrowing
      if (topic !== 'objects' || objects === null) {
        return visible(topic, await view.itemsAfter(topic, after, limit))
      }
      const next = objects.filter((id) => id > after)
      return visible(topic, await view.items(topic, next)).slice(0, limit)
    },
  }
}

function scopedRows(
  view: ReaderView,
  { sees, shows, times }: Narrowing,
): Pick<ReaderView, 'rows' | 'rowsBefore'> {
  const visible = <Row extends { time: number }>(rows: Row[]) =>
    rows.filter(({ time }) => shows(time))
  return {
    async rows(object, after, limit) {
      const first = Math.max(after, (times?.from ?? 0) - 1)
      return sees(object) ? visible(await view.rows(object, first, limit)) : []
    },
    async rowsBefore(object, before, limit) {
      const last = Math.min(before, (times?.to ?? Number.POSITIVE_INFINITY) + 1)
      return sees(object) ? visible(await view.rowsBefore(object, last, limit)) : []
    },
  }
}

/** The changes without the names of what is not visible. */
async function visibleChanges(
  view: ReaderView,
  narrowing: Narrowing,
  changes: readonly LoggedChange[],
): Promise<LoggedChange[]> {
  const { sees, times } = narrowing
  const own = changes.map(
    ({ seq, at, entries }): LoggedChange => ({
      seq,
      at,
      entries: {
        retainedBefore: entries.retainedBefore,
        attributes: [],
        items: entries.items.filter(({ topic, id }) => topic !== 'objects' || sees(id)),
        objects: entries.objects.filter(({ object }) => sees(object)),
        records: entries.records.filter(({ object }) => sees(object)),
      },
    }),
  )
  if (times === null) return own
  const isNewestVisible = await newestVisibleAmong(view, times, own)
  const isRecordVisible = await recordsVisibleAmong(view, times, own)
  return own.map(({ seq, at, entries }) => {
    const { retainedBefore, attributes, items, objects: all, records: named } = entries
    const changed = all.flatMap((entry) =>
      isOfStateAlone(entry) ? [entry] : visibleEntry(times, entry),
    )
    const objects = visibleOf(
      changed,
      (entry) => !isOfStateAlone(entry) || isNewestVisible(entry.object),
    )
    const records = visibleOf(named, isRecordVisible)
    return {
      seq,
      at,
      entries: {
        ...{ retainedBefore, attributes, items },
        ...{ objects: objects.entries, records: records.entries },
      },
      places: { objects: objects.places, allObjects: changed.length, records: records.places },
    }
  })
}

/** The visible entries, and their places among all. */
function visibleOf<Entry>(all: readonly Entry[], isVisible: (entry: Entry) => boolean) {
  const places = [...all.keys()].filter((place) => isVisible(all[place]!))
  return { places, entries: places.map((place) => all[place]!) }
}

/** Whether a change touched the state of an object, such as its address, and no position. */
function isOfStateAlone({ positions, shifts, rewritten }: ObjectEntry): boolean {
  return positions.length === 0 && shifts.length === 0 && !rewritten
}

function visibleEntry(times: TimeRange, entry: ObjectEntry): ObjectEntry[] {
  const { object, rewritten } = entry
  const positions = entry.positions.filter(({ time }) => isWithin(times, time))
  const shifts = entry.shifts
    .filter(({ from }) => from <= times.to)
    .map((shift) => ({ ...shift, visible: times }))
  const isRewritten = rewritten && rewritten.from <= times.to && rewritten.to >= times.from
  if (positions.length === 0 && shifts.length === 0 && !isRewritten) return []
  return [{ object, positions, shifts, rewritten }]
}

/** Whether the newest position of an object is visible, so that changes of its state alone are. */
async function newestVisibleAmong(
  view: ReaderView,
  times: TimeRange,
  changes: readonly LoggedChange[],
): Promise<(object: number) => boolean> {
  const objects = changes.flatMap(({ entries }) => entries.objects.filter(isOfStateAlone))
  const ids = [...new Set(objects.map(({ object }) => object))]
  const states = ids.length === 0 ? new Map() : await view.states(ids)
  return (object) => {
    const time = states.get(object)?.lastFix?.timeDevice
    return time !== undefined && isWithin(times, time)
  }
}

/**
 * Whether a record may be visible, or may have been before the change: its start is visible, or was. The log does not
 * name where a record ended before.
 */
async function recordsVisibleAmong(
  view: ReaderView,
  times: TimeRange,
  changes: readonly LoggedChange[],
): Promise<(entry: RecordEntry) => boolean> {
  const named = changes.flatMap(({ entries }) => entries.records)
  const starts = new Map<number, number>()
  for (const type of RECORD_TYPES) {
    const ids = idsOf(named.filter((each) => each.type === type))
    if (ids.length === 0) continue
    for (const { id, record } of await view.records(type, ids)) starts.set(id, record.start)
  }
  return ({ id, startBefore }) =>
    [starts.get(id), startBefore].some((start) => start != null && isWithin(times, start))
}

function idsOf(records: readonly RecordEntry[]): number[] {
  return [...new Set(records.map(({ id }) => id))]
}

/** Reads the records after one (null: from the first one), at most `limit`. */
type ReadRecords = (after: RecordOffset | null, limit: number) => Promise<OwnedRecord[]>

/**
 * A page of the visible records. `read`: a page of all. The visible part of the range may end before it begins: then a
 * record under way may still overlap what was asked, because it has no end.
 */
export async function visiblePage(
  narrowing: Narrowing,
  query: RecordQuery,
  read: (query: RecordQuery) => Promise<OwnedRecord[]>,
): Promise<OwnedRecord[]> {
  const objects = query.objects === null ? narrowing.objects : narrowing.own(query.objects)
  const range = narrowing.part(query.range)
  return readVisible(narrowing, query.after, query.limit, (after, limit) =>
    read({ ...query, objects, range, after, limit }),
  )
}

/** The first `limit` visible records after one. Continues past invisible records. */
async function readVisible(
  narrowing: Narrowing,
  first: RecordOffset | null,
  limit: number,
  read: ReadRecords,
): Promise<OwnedRecord[]> {
  const visible: OwnedRecord[] = []
  for (let after = first; visible.length < limit; ) {
    const size = limit - visible.length
    const found = await read(after, size)
    for (const each of found) addAll(visible, narrowing.record(each))
    const last = found.at(-1)
    if (last === undefined || found.length < size) break
    after = { object: last.object, ...keyOf(last.record) }
  }
  return visible
}

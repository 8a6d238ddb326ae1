import type { StoredAttribute } from '../../base/domain/attributes/attribute-catalogue.ts'
import { addAll } from '../../base/domain/common/any-number.ts'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import { type Items, type ItemTopic, RECORD_TYPES } from '../../base/domain/item-rules.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { NO_ATTRIBUTES, noValue } from '../../base/domain/position/current-attributes.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import { type Extent, keyOf, neededExtent } from '../../base/domain/record.ts'
import { firstFrom, rangeAt } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { ObjectEntry, RecordEntry } from '../../engine/store/change-entries.ts'
import {
  type LoggedChange,
  newestShown,
  type ObjectRange,
  type PositionName,
  type ReaderView,
} from '../../engine/store/change-log.ts'
import type { OwnedRecord, RecordOffset, RecordQuery } from '../../engine/store/record-store.ts'
import type { TrackRow } from '../../engine/tracking/track-row.ts'
import {
  boundedStates,
  type Narrowing,
  newestAmong,
  newestVisible,
  type Reading,
} from './narrowing.ts'
import {
  type ShownValues,
  shownColumns,
  shownRecord,
  shownValues,
  takeShown,
} from './shown-attributes.ts'

/** Retentions of objects that are read at once. Few objects have one. */
const RETENTIONS_AT_ONCE = 1_000

/** A view as if the organization had only what a scope opens. */
export function scopedView(view: ReaderView, narrowing: Narrowing, reading: Reading): ReaderView {
  const { showsObject, showsPosition, visibleObjects, visibleHull, visibleParts, isBounded } =
    narrowing
  const shown = valuesOf(view, narrowing, reading)
  const pageOf = (query: RecordQuery) => visiblePage(narrowing, reading.entries, query, view.page)
  return {
    ...passedOn(view, ['asOf', 'epoch', 'oldest', 'organization', 'progress', 'tasks']),
    ...scopedItems(view, narrowing),
    ...(isBounded && { intervals: (object: number) => narrowing.intervals(object) }),
    changes: async (after, limit) =>
      visibleChanges(view, narrowing, reading, await view.changes(after, limit)),
    async retentions(after, limit) {
      const found: { object: number; days: number }[] = []
      for (let last: number | null = after; last !== null && found.length < limit; ) {
        const next = await view.retentions(last, RETENTIONS_AT_ONCE)
        addAll(
          found,
          next.filter(({ object }) => showsObject(object)),
        )
        last = next.length < RETENTIONS_AT_ONCE ? null : next.at(-1)!.object
      }
      return found.slice(0, limit)
    },
    async states(objects) {
      if (isBounded) return boundedStates(view, visibleObjects(objects), narrowing, reading)
      const states = await view.states(visibleObjects(objects))
      return new Map(
        [...states].map(([id, state]) => [id, shownState(narrowing, reading, id, state)]),
      )
    },
    async positions(wanted) {
      const found = await view.positions(wanted)
      const visible = found.map(async (record, index) => {
        const { object, time } = wanted[index]!
        if (record === null || !showsPosition(object, time)) return null
        return shown === null ? record : shownRecord(record, await shown(object))
      })
      return Promise.all(visible)
    },
    async range(object, after, to, limit) {
      const found: PositionColumns[] = []
      let room = limit
      for (const { from, to: last } of visibleParts(object, { from: after + 1, to })) {
        for (const columns of await view.range(object, from - 1, last, room)) {
          found.push(shown === null ? columns : shownColumns(columns, await shown(object)))
          room -= columns.rows
        }
        if (room <= 0) break
      }
      return found
    },
    newest: (objects, range) =>
      isBounded
        ? newestVisibleIn(view, narrowing, objects, range)
        : view.newest(visibleObjects(objects), range),
    newestIn: (wanted) => newestVisible(view, narrowing, wanted),
    earlierTrips: async (object, from, tripsSince) =>
      showsObject(object) ? view.earlierTrips(object, from, tripsSince) : [],
    ...scopedRows(view, narrowing, shown),
    // A level of a range of time begins at its first visible row.
    checkpoint: async (object, time, attribute) =>
      showsObject(object) && !isBounded && shown === null
        ? view.checkpoint(object, time, attribute)
        : null,
    records: async (type, ids) =>
      (await view.records(type, ids)).flatMap((each) => narrowing.record(each, reading.entries)),
    recordsOf: (type, objects, range, after, limit) =>
      readVisible(narrowing, reading.entries, after, limit, (from, size) =>
        view.recordsOf(type, visibleObjects(objects), visibleHull(range), from, size),
      ),
    page: pageOf,
    async withRecords({ objects, ...selection }) {
      const range = visibleHull(selection.range)
      const found = await view.withRecords({
        ...selection,
        range,
        objects: visibleObjects(objects),
      })
      if (!isBounded && shown === null) return found
      // A record that overlaps the range may be invisible, because a part of it is outside of the range.
      const visible: number[] = []
      for (const object of found) {
        const first = { ...selection, objects: [object], after: null, limit: 1 }
        if ((await pageOf(first)).length > 0) visible.push(object)
      }
      return visible
    },
  }
}

/** Finds the values that an object shows. */
type ValuesOf = (object: number) => Promise<ShownValues>

/** Null: a key sees the same attributes at all times. */
export function valuesOf(
  view: Pick<ReaderView, 'states'>,
  { openAt }: Pick<Narrowing, 'openAt'>,
  { entries }: Pick<Reading, 'entries'>,
): ValuesOf | null {
  if (openAt === null) return null
  const known = new Map<number, Promise<ShownValues>>()
  const read = async (object: number) => {
    const states = await view.states([object])
    return shownValues(openAt, entries, object, states.get(object)?.attributes ?? NO_ATTRIBUTES)
  }
  return (object) => {
    const values = known.get(object) ?? read(object)
    known.set(object, values)
    return values
  }
}

/** The state of an object whose times are not limited, without the attributes that the key does not see. */
export function shownState(
  { openAt }: Pick<Narrowing, 'openAt'>,
  { entries }: Pick<Reading, 'entries'>,
  object: number,
  state: ObjectState,
): ObjectState {
  if (openAt === null) return state
  const shown = shownValues(openAt, entries, object, state.attributes)
  const attributes = state.attributes.map((each, index) =>
    shown(each.at)(index) ? each : noValue(each.name),
  )
  return { ...state, attributes }
}

/** As `newest` of a view, of the visible positions. Its reads do not depend on the others. */
async function newestVisibleIn(
  view: ReaderView,
  narrowing: Narrowing,
  objects: readonly number[],
  range: TimeRange,
): Promise<PositionName[]> {
  const wanted = objects.map((object) => ({ object, ...range }))
  const read = (ranges: readonly ObjectRange[]) => newestShown(view, ranges)
  return newestAmong(narrowing, wanted, read, ({ time }) => time)
}

function scopedItems(
  view: ReaderView,
  narrowing: Narrowing,
): Pick<ReaderView, 'items' | 'itemsAfter'> {
  function visible<Topic extends ItemTopic>(topic: Topic, items: Items[Topic][]): Items[Topic][] {
    if (topic !== 'objects') return items
    const objects = items as MonitoredObject[]
    return objects
      .filter(({ id }) => narrowing.showsObject(id))

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

/**
 * The rows of one interval: of the one that has the moment after which they are read, or else of the next one. So no
 * leg between rows crosses two intervals.
 */
function scopedRows(
  view: ReaderView,
  { showsObject, intervals, isBounded }: Narrowing,
  shown: ValuesOf | null,
): Pick<ReaderView, 'rows' | 'rowsBefore'> {
  async function shownRows(object: number, rows: TrackRow[]): Promise<TrackRow[]> {
    if (shown === null) return rows
    const values = await shown(object)
    return rows.map((row) => {
      const { time, attributes } = row
      if (attributes === null) return row
      return { ...row, attributes: (take) => attributes(takeShown(values(time), take)) }
    })
  }

  return {
    async rows(object, after, limit) {
      if (!showsObject(object)) return []
      if (!isBounded) return shownRows(object, await view.rows(object, after, limit))
      const times = firstFrom(intervals(object), after)
      if (times === undefined) return []
      const rows = await view.rows(object, Math.max(after, times.from - 1), limit)
      return shownRows(
        object,
        rows.filter(({ time }) => time <= times.to),
      )
    },
    async rowsBefore(object, before, limit) {
      if (!showsObject(object)) return []
      if (!isBounded) return shownRows(object, await view.rowsBefore(object, before, limit))
      const times = rangeAt(intervals(object), before - 1)
      if (times === undefined) return []
      const rows = await view.rowsBefore(object, before, limit)
      return shownRows(
        object,
        rows.filter(({ time }) => time >= times.from),
      )
    },
  }
}

/** The changes without the names of what is not visible. */
async function visibleChanges(
  view: ReaderView,
  narrowing: Narrowing,
  reading: Reading,
  changes: readonly LoggedChange[],
): Promise<LoggedChange[]> {
  const { showsObject, isBounded, openAt } = narrowing
  const own = changes.map(
    ({ seq, at, entries }): LoggedChange => ({
      seq,
      at,
      entries: {
        retainedBefore: entries.retainedBefore,
        attributes: [],
        items: entries.items.filter(({ topic, id }) => topic !== 'objects' || showsObject(id)),
        objects: entries.objects.filter(({ object }) => showsObject(object)),
        records: entries.records.filter(({ object }) => showsObject(object)),
      },
    }),
  )
  if (!isBounded && openAt === null) return own
  const isNewestVisible = await newestVisibleAmong(view, narrowing, own)
  const isRecordVisible = await recordsVisibleAmong(view, narrowing, reading, own)
  return own.map(({ seq, at, entries }) => {
    const { retainedBefore, attributes, items, objects: all, records: named } = entries
    const changed = all.flatMap((entry) =>
      isOfStateAlone(entry) ? [entry] : visibleEntry(narrowing, entry),
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

function visibleEntry(narrowing: Narrowing, entry: ObjectEntry): ObjectEntry[] {
  if (!narrowing.isBounded) return [entry]
  const { object, rewritten } = entry
  const positions = entry.positions.filter(({ time }) => narrowing.showsPosition(object, time))
  const visible = narrowing.intervals(object)
  const last = visible.at(-1)!.to
  const shifts = entry.shifts
    .filter(({ from }) => from <= last)
    .map((shift) => ({ ...shift, visible }))
  const isRewritten = rewritten && narrowing.visibleParts(object, rewritten).length > 0
  if (positions.length === 0 && shifts.length === 0 && !isRewritten) return []
  return [{ object, positions, shifts, rewritten }]
}

/** Whether the newest position of an object is visible, so that changes of its state alone are. */
async function newestVisibleAmong(
  view: ReaderView,
  { showsPosition }: Narrowing,
  changes: readonly LoggedChange[],
): Promise<(object: number) => boolean> {
  const objects = changes.flatMap(({ entries }) => entries.objects.filter(isOfStateAlone))
  const ids = [...new Set(objects.map(({ object }) => object))]
  const states = ids.length === 0 ? new Map() : await view.states(ids)
  return (object) => {
    const time = states.get(object)?.lastFix?.timeDevice
    return time !== undefined && showsPosition(object, time)
  }
}

/** Whether a record is visible, or was before the change. */
async function recordsVisibleAmong(
  view: ReaderView,
  { showsRecord }: Narrowing,
  { entries }: Reading,
  changes: readonly LoggedChange[],
): Promise<(entry: RecordEntry) => boolean> {
  const named = changes.flatMap(({ entries }) => entries.records)
  const extents = new Map<number, Extent>()
  for (const type of RECORD_TYPES) {
    const ids = idsOf(named.filter((each) => each.type === type))
    if (ids.length === 0) continue
    for (const { id, record } of await view.records(type, ids))
      extents.set(id, neededExtent(record))
  }
  return ({ id, object, attribute, before }) =>
    [extents.get(id), before].some(
      (extent) => extent != null && showsRecord(object, extent, attribute, entries),
    )
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
  entries: readonly StoredAttribute[],
  query: RecordQuery,
  read: (query: RecordQuery) => Promise<OwnedRecord[]>,
): Promise<OwnedRecord[]> {
  const objects =
    query.objects === null ? narrowing.objects : narrowing.visibleObjects(query.objects)
  const range = narrowing.visibleHull(query.range)
  return readVisible(narrowing, entries, query.after, query.limit, (after, limit) =>
    read({ ...query, objects, range, after, limit }),
  )
}

/** The first `limit` visible records after one. Continues past invisible records. */
const MIN_READ = 250

async function readVisible(
  narrowing: Narrowing,
  entries: readonly StoredAttribute[],
  first: RecordOffset | null,
  limit: number,
  read: ReadRecords,
): Promise<OwnedRecord[]> {
  const visible: OwnedRecord[] = []
  for (let after = first; visible.length < limit; ) {
    // Beyond the first page, most records may be invisible.
    const size = after === first ? limit : Math.max(limit - visible.length, MIN_READ)
    const found = await read(after, size)
    for (const each of found) addAll(visible, narrowing.record(each, entries))
    const last = found.at(-1)
    if (last === undefined || found.length < size) break
    after = { object: last.object, ...keyOf(last.record) }
  }
  return visible.slice(0, limit)
}

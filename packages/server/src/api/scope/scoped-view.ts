import type { Items, ItemTopic } from '../../domain/items.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { ReaderView } from '../../store/change-log.ts'
import { boundedStates } from './bounded-states.ts'
import type { Narrowing, Reading } from './narrowing.ts'
import { readVisible, visiblePage } from './scoped-records.ts'
import { visibleChanges } from './visible-changes.ts'

const NO_ROWS = new Uint8Array()

/** A view as if the organization had only what a scope opens. */
export function scopedView(view: ReaderView, narrowing: Narrowing, reading: Reading): ReaderView {
  const { sees, own, shows, part, times } = narrowing
  return {
    ...view,
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
      if (!sees(object) || visible.from > visible.to) return NO_ROWS
      return view.range(object, visible.from - 1, visible.to, limit)
    },
    newest: (objects, range) => view.newest(own(objects), part(range)),
    newestIn: (wanted) =>
      view.newestIn(
        wanted
          .filter(({ object }) => sees(object))
          .map(({ object, ...range }) => ({ object, ...part(range) })),
      ),
    ...scopedRows(view, narrowing),
    records: async (type, ids) => (await view.records(type, ids)).flatMap(narrowing.record),
    recordsOf: (type, objects, range, after, limit) =>
      readVisible(narrowing, after, limit, (from, size) =>
        view.recordsOf(type, own(objects), part(range), from, size),
      ),
    page: (query) => visiblePage(narrowing, query, view.page),
    async withRecords({ objects, ...selection }) {
      const range = part(selection.range)
      if (range.from > range.to) return []
      const found = await view.withRecords({ ...selection, range, objects: own(objects) })
      if (times === null) return found
      // A record that overlaps the range may be invisible, because a part of it lies outside of it.
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

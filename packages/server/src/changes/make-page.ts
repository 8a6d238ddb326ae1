import { byTopic, ITEM_TOPICS, type Items, type ItemTopic } from '../domain/items.ts'
import { UNSEEN } from '../domain/position/object-state.ts'
import { LAST_TIME } from '../domain/time/time-range.ts'
import type { ReaderView } from '../store/change-log.ts'
import { logPage } from './log-page.ts'
import {
  logPlace,
  type Page,
  type PageOptions,
  type Place,
  SNAPSHOT_PARTS,
  type SnapshotPlace,
} from './page.ts'
import {
  addEntry,
  addHistories,
  addItem,
  addRecords,
  type Draft,
  newDraft,
  objectsAfter,
} from './page-entries.ts'
import { openFound } from './steps.ts'

/** Makes the page that begins at a place. Does not check whether the log still goes back that far. */
export function makePage(view: ReaderView, place: Place, options: PageOptions): Promise<Page> {
  return place.part === 'log' ? logPage(view, place, options) : snapshotPage(view, place, options)
}

/** Objects whose histories are read at once, so that a server elsewhere is not asked one by one. */
const MAX_OBJECTS_AT_ONCE = 32

/** Reads the rest of a part, as far as there is room. Returns the place after it. */
type PartReader = (draft: Draft, place: SnapshotPlace) => Promise<Place>

/** A page of the snapshot. The places after it lead through all its parts, and then into the log. */
async function snapshotPage(
  view: ReaderView,
  place: SnapshotPlace,
  options: PageOptions,
): Promise<Page> {
  const draft = newDraft(view, options)
  let next: Place = place
  while (next.part !== 'log' && draft.room > 0) next = await READERS[next.part](draft, next)
  const hasMore = next.part !== 'log' || next.after < view.asOf
  return { asOf: view.asOf, isSnapshot: true, entries: draft.entries, next, hasMore }
}

const READERS: Record<SnapshotPlace['part'], PartReader> = {
  async retention(draft, place) {
    const { retentionDays: days } = draft.view.organization
    addEntry(draft, { type: 'retention', op: 'put', days, seq: draft.view.asOf, before: place })
    return partAfter(place)
  },
  ...byTopic(ITEM_TOPICS, itemReader),
  async states(draft, place) {
    if (!draft.options.selection.types.has('states')) return partAfter(place)
    const { view, room } = draft
    const objects = await objectsAfter(draft, place.id, room)
    const states = await view.states(objects.map(({ id }) => id))
    let before = place
    for (const object of objects) {
      const state = states.get(object.id) ?? UNSEEN
      addEntry(draft, { type: 'state', op: 'put', object, state, seq: view.asOf, before })
      before = { ...place, id: object.id }
    }
    return objects.length < room ? partAfter(place) : before
  },
  async records(draft, place) {
    const range = { from: draft.shownFrom, to: LAST_TIME }
    const found = openFound(draft.view)
    return (await addRecords(draft, found, place, range, draft.view.asOf)) ?? partAfter(place)
  },
  async history(draft, place) {
    const { types } = draft.options.selection
    if (!place.withHistory || !types.has('positions')) return partAfter(place)
    let next = place
    for (let atOnce = 1; draft.room > 0; atOnce = Math.min(atOnce * 2, MAX_OBJECTS_AT_ONCE)) {
      // The object in which the last page ended comes again.
      const objects = await objectsAfter(draft, next.time < 0 ? next.id : next.id - 1, atOnce)
      if (objects.length === 0) return partAfter(place)
      next = await addHistories(draft, next, objects, LAST_TIME, draft.view.asOf)
    }
    return next
  },
}

function partAfter(place: SnapshotPlace): Place {
  const part = SNAPSHOT_PARTS[SNAPSHOT_PARTS.indexOf(place.part) + 1]
  return part === undefined
    ? logPlace(place.base)
    : { ...place, part, id: 0, time: -1, records: undefined }
}

function itemReader<Topic extends ItemTopic>(topic: Topic): PartReader {
  return async (draft, place) => {
    const { view, room, options } = draft
    if (!options.selection.types.has(topic)) return partAfter(place)
    const items =
      topic === 'objects'
        ? await objectsAfter(draft, place.id, room)
        : await view.itemsAfter(topic, place.id, room)
    const states =
      topic === 'objects' ? await view.states(items.map(({ id }) => id)) : new Map<number, never>()
    let before = place
    for (const item of items) {
      addItem(draft, topic, item as Items[Topic], states.get(item.id), view.asOf, before)
      before = { ...place, id: item.id }
    }
    return items.length < room ? partAfter(place) : before
  }
}

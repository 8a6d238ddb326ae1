import { byTopic, ITEM_TOPICS, type Items, type ItemTopic } from '../../base/domain/item-rules.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { LAST_TIME } from '../../base/domain/time/time.ts'
import type { ReaderView } from '../store/change-log.ts'
import { isChosenObject, openFound } from './change-steps.ts'
import {
  logOffset,
  type Page,
  type PageOffset,
  type PageOptions,
  SNAPSHOT_PARTS,
  type SnapshotOffset,
} from './page.ts'
import {
  addEntry,
  addHistories,
  addItem,
  addRecords,
  type Draft,
  firstShown,
  newDraft,
  objectsAfter,
} from './page-entries.ts'

/** Objects whose histories are read at once, so that a server elsewhere is not asked one by one. */
const MAX_OBJECTS_AT_ONCE = 32

/** Reads the rest of a part, as far as there is room. Returns the offset after it. */
type PartReader = (draft: Draft, offset: SnapshotOffset) => Promise<PageOffset>

/** A page of the snapshot. The offsets after it lead through all its parts, and then into the log (`log-page.ts`). */
export async function snapshotPage(
  view: ReaderView,
  offset: SnapshotOffset,
  options: PageOptions,
): Promise<Page> {
  const draft = newDraft(view, options)
  let next: PageOffset = offset
  while (next.part !== 'log' && draft.room > 0) next = await READERS[next.part](draft, next)
  const hasMore = next.part !== 'log' || next.after < view.asOf
  return { asOf: view.asOf, isSnapshot: true, entries: draft.entries, next, hasMore }
}

const READERS: Record<SnapshotOffset['part'], PartReader> = {
  async retention(draft, offset) {
    const { view, options } = draft
    const seq = view.asOf
    let before = offset
    if (offset.time < 0) {
      const { retentionDays: days } = view.organization
      addEntry(draft, { type: 'retention', op: 'put', days, seq, before })
      before = { ...offset, time: 0 }
    }
    const { room } = draft
    const isChosen = isChosenObject(options.selection.ids)
    const own = await view.retentions(before.id, room)
    for (const { object, days } of own) {
      const put = { type: 'object_retention', op: 'put', object, days, seq, before } as const
      if (isChosen(object)) addEntry(draft, put)
      before = { ...before, id: object }
    }
    return own.length < room ? partAfter(offset) : before
  },
  ...byTopic(ITEM_TOPICS, itemReader),
  async states(draft, offset) {
    if (!draft.options.selection.types.has('states')) return partAfter(offset)
    const { view, room } = draft
    const objects = await objectsAfter(draft, offset.id, room)
    const states = await view.states(objects.map(({ id }) => id))
    let before = offset
    for (const object of objects) {
      const state = states.get(object.id) ?? UNSEEN
      addEntry(draft, { type: 'state', op: 'put', object, state, seq: view.asOf, before })
      before = { ...offset, id: object.id }
    }
    return objects.length < room ? partAfter(offset) : before
  },
  async records(draft, offset) {
    const range = { from: firstShown(draft), to: LAST_TIME }
    const found = openFound(draft.view)
    return (await addRecords(draft, found, offset, range, draft.view.asOf)) ?? partAfter(offset)
  },
  async history(draft, offset) {
    const { types } = draft.options.selection
    if (!offset.withHistory || !types.has('positions')) return partAfter(offset)
    let next = offset
    for (let atOnce = 1; draft.room > 0; atOnce = Math.min(atOnce * 2, MAX_OBJECTS_AT_ONCE)) {
      // The object in which the last page ended comes again.
      const objects = await objectsAfter(draft, next.time < 0 ? next.id : next.id - 1, atOnce)
      if (objects.length === 0) return partAfter(offset)
      next = await addHistories(draft, next, objects, LAST_TIME, draft.view.asOf)
    }
    return next
  },
}

function partAfter(offset: SnapshotOffset): PageOffset {
  const part = SNAPSHOT_PARTS[SNAPSHOT_PARTS.indexOf(offset.part) + 1]
  return part === undefined
    ? logOffset(offset.base)
    : { ...offset, part, id: 0, time: -1, records: undefined }
}

function itemReader<Topic extends ItemTopic>(topic: Topic): PartReader {
  return async (draft, offset) => {
    const { view, room, options } = draft
    if (!options.selection.types.has(topic)) return partAfter(offset)
    const items =
      topic === 'objects'
        ? await objectsAfter(draft, offset.id, room)
        : await view.itemsAfter(topic, offset.id, room)
    const states =
      topic === 'objects' ? await view.states(items.map(({ id }) => id)) : new Map<number, never>()
    let before = offset
    for (const item of items) {
      addItem(draft, topic, item as Items[Topic], states.get(item.id), view.asOf, before)
      before = { ...offset, id: item.id }
    }
    return items.length < room ? partAfter(offset) : before
  }
}

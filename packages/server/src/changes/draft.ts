import type { Items, ItemTopic } from '../domain/items.ts'
import { shownFrom } from '../domain/organization.ts'
import type { ObjectState } from '../domain/position/object-state.ts'
import type { ReaderView } from '../store/change-log.ts'
import type { ItemPut, PageEntry, PageOptions } from './page.ts'
import type { Place } from './place.ts'

/** A page that is being made. `room`: how many more entries it may have. */
export type Draft = {
  readonly view: ReaderView
  readonly options: PageOptions
  /** The time from which positions are shown, by the organization's retention. */
  readonly shownFrom: number
  readonly entries: PageEntry[]
  /** The objects whose states are on a page of the log. It shows each once, as it is now. */
  readonly shownStates: Set<number>
  /** The ids of the derived records on the page. It shows each once, as it is now. */
  readonly shownRecords: Set<number>
  room: number
}

export function newDraft(view: ReaderView, options: PageOptions): Draft {
  const from = shownFrom(view.organization, options.now)
  return {
    view,
    options,
    shownFrom: from,
    entries: [],
    shownStates: new Set(),
    shownRecords: new Set(),
    room: options.limit,
  }
}

export function addEntry(draft: Draft, entry: PageEntry): void {
  draft.entries.push(entry)
  draft.room -= 'count' in entry ? entry.count : 1
}

/** Adds an item as it is now, if it still exists. */
export function addItem<Topic extends ItemTopic>(
  draft: Draft,
  topic: Topic,
  item: Items[Topic] | undefined,
  state: ObjectState | undefined,
  seq: number,
  before: Place,
): void {
  if (item === undefined) return
  const put = { type: topic, op: 'put', item, state, before } as ItemPut
  addEntry(draft, { ...put, seq })
}

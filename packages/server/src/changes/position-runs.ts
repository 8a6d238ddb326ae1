import { addAll } from '../domain/common/any-number.ts'
import type { MonitoredObject } from '../domain/monitored-object.ts'
import { fixRecordsIn } from '../domain/position/fix-records-in.ts'
import { type ObjectState, UNSEEN } from '../domain/position/object-state.ts'
import { addEntry, type Draft } from './draft.ts'
import type { PageEntry } from './page.ts'
import type { Place } from './place.ts'

/** The selected objects with ids above `after`, at most `limit`. */
export async function objectsAfter(
  { view, options }: Draft,
  after: number,
  limit: number,
): Promise<MonitoredObject[]> {
  const { ids } = options.selection
  if (ids === null) return view.itemsAfter('objects', after, limit)
  const found: MonitoredObject[] = []
  for (let rest = ids.filter((id) => id > after); found.length < limit && rest.length > 0; ) {
    const missing = limit - found.length
    addAll(found, await view.items('objects', rest.slice(0, missing)))
    rest = rest.slice(missing)
  }
  return found
}

/**
 * Adds positions of these objects up to the time `to`, until the page is full. `place`: `id` and `time` name
 * the last position that the reader has, or with a time below 0 the last object that it has wholly.
 * Returns where it got.
 */
export async function addHistories<Within extends Place>(
  draft: Draft,
  place: Within,
  objects: readonly MonitoredObject[],
  to: number,
  seq: number,
): Promise<Within> {
  const { view, shownFrom, room } = draft
  const states = await view.states(objects.map(({ id }) => id))
  const afterOf = ({ id }: MonitoredObject) =>
    Math.max(id === place.id ? place.time : -1, Math.ceil(shownFrom) - 1)
  const blocks = await Promise.all(
    objects.map((object) => view.range(object.id, afterOf(object), to, room)),
  )
  let next = place
  for (const [index, object] of objects.entries()) {
    if (draft.room === 0) break
    const run = historyRun(draft.room, next, object, states.get(object.id), blocks[index]!, seq)
    if (run !== undefined) addEntry(draft, run)
    // With room left, all of the object was read.
    const time = run === undefined || draft.room > 0 ? -1 : run.lastTime
    next = { ...place, id: object.id, time }
  }
  return next
}

/** The first rows of an object's positions, as many as there is room for. */
function historyRun(
  room: number,
  before: Place,
  object: MonitoredObject,
  state: ObjectState = UNSEEN,
  block: Uint8Array,
  seq: number,
): (PageEntry & { count: number; lastTime: number }) | undefined {
  const { ends, times } = fixRecordsIn(block, room)
  if (times.length === 0) return undefined
  return {
    type: 'position',
    op: 'put',
    late: false,
    seq,
    object,
    state,
    records: block.subarray(0, ends.at(-1)),
    count: times.length,
    beforeRow: (index) =>
      index === 0 ? before : { ...before, id: object.id, time: times[index - 1]! },
    lastTime: times.at(-1)!,
  }
}

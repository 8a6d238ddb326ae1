import { addAll } from '../domain/common/any-number.ts'
import type { TimeRange } from '../domain/time/time-range.ts'
import type { ItemEntry, ObjectEntry } from '../store/change-entries.ts'
import type { ChangeView, LoggedChange } from '../store/change-log.ts'
import { changesAfter } from '../store/changes-after.ts'
import type { RecordTask } from '../store/record-store.ts'

/** The rows, places and objects that changes up to number `seq` concern. */
export type Touched = {
  seq: number
  /** The ranges of rows of each object. */
  objects: Map<number, TimeRange[]>
  /** Edited, new and deleted places. */
  places: Pick<RecordTask, 'kind' | 'id'>[]
  /** Deleted objects. One of them may have come back under its id. */
  gone: number[]
}

/** More changes are first noted as tasks, so that the memory of a long backlog is bounded. */
const MAX_POSITIONS = 20_000
const MAX_CHANGES = 5_000

/** Reads the changes after number `after`, as many as one slice may hold. */
export async function readTouched(view: ChangeView, after: number): Promise<Touched> {
  const touched: Touched = { seq: after, objects: new Map(), places: [], gone: [] }
  let [read, positions] = [0, 0]
  for await (const changes of changesAfter(view, after)) {
    for (const change of changes) positions += addChange(touched, change)
    read += changes.length
    if (read >= MAX_CHANGES || positions >= MAX_POSITIONS) break
  }
  return touched
}

/** Returns the number of positions. */
function addChange(touched: Touched, { seq, entries }: LoggedChange): number {
  let positions = 0
  touched.seq = seq
  for (const item of entries.items) addItem(touched, item)
  for (const entry of entries.objects) {
    positions += entry.positions.length
    const ranges = touched.objects.get(entry.object)
    if (ranges === undefined) touched.objects.set(entry.object, rangesOf(entry))
    else addAll(ranges, rangesOf(entry))
  }
  return positions
}

function addItem({ places, gone }: Touched, { topic, id, isDeleted }: ItemEntry): void {
  if (topic === 'geofences') places.push({ kind: 'geofence', id })
  else if (topic === 'sites') places.push({ kind: 'site', id })
  else if (topic === 'objects' && isDeleted) gone.push(id)
}

function rangesOf({ positions, shifts, rewritten }: ObjectEntry): TimeRange[] {
  const ranges: TimeRange[] = []
  let newer: TimeRange | undefined
  for (const { time, late } of positions) {
    if (late) ranges.push({ from: time, to: time })
    else if (newer === undefined) newer = { from: time, to: time }
    else newer.to = time
  }
  if (newer !== undefined) ranges.push(newer)
  for (const { from } of shifts) ranges.push({ from, to: from })
  if (rewritten) ranges.push(rewritten)
  return ranges
}

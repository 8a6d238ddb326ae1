import type { DerivedWork, RecordProgress } from '../store/record-store.ts'
import type { Backlog, Slice } from './derive-slice.ts'

/** Objects that one transaction writes: some milliseconds. */
const OBJECTS_AT_ONCE = 100

/**
 * Writes a slice in one or more transactions. The progress moves with the last one, so that a slice that was cut
 * is derived again. Returns the backlog behind it. Null: another process derives.
 */
export async function applySlice(
  write: (work: DerivedWork) => Promise<RecordProgress | null>,
  { work, tasks, places, isChange }: Slice,
): Promise<Backlog | null> {
  const { from, to, objects } = work
  if (!isChange) return { progress: from, tasks, places }
  let progress = from
  let left = objects
  for (; left.length > OBJECTS_AT_ONCE; left = left.slice(OBJECTS_AT_ONCE)) {
    const part = left.slice(0, OBJECTS_AT_ONCE)
    const upTo = { ...from!, lastId: to.lastId }
    progress = await write({ from: progress, to: upTo, objects: part, tasks: [], doneTasks: [] })
    if (progress === null) return null
  }
  progress = await write({ ...work, from: progress, objects: left })
  return progress && { progress, tasks, places }
}

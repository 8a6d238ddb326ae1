import type { DerivedObject, DerivedWork, RecordProgress } from '../store/record-store.ts'
import type { Backlog, Slice } from './derive-slice.ts'

/** The rows that one transaction writes: some milliseconds. An object is never split. */
const MAX_ROWS = 300

/**
 * Writes a slice in one or more transactions. The progress moves with the last one, so that a slice that was cut
 * is derived again. Returns the backlog behind it. Null: another process derives.
 */
export async function applySlice(
  write: (work: DerivedWork) => Promise<RecordProgress | null>,
  { work, tasks, places, known, isChange }: Slice,
): Promise<Backlog | null> {
  const { from, to, objects } = work
  if (!isChange) return { progress: from, tasks, places, known }
  let progress = from
  let left = objects
  for (let count = countAtOnce(left); count < left.length; count = countAtOnce(left)) {
    const part = left.slice(0, count)
    left = left.slice(count)
    const upTo = { ...from!, lastId: to.lastId }
    progress = await write({ from: progress, to: upTo, objects: part, tasks: [], doneTasks: [] })
    if (progress === null) return null
  }
  progress = await write({ ...work, from: progress, objects: left })
  return progress && { progress, tasks, places, known }
}

/** The number of the first objects that one transaction writes. */
function countAtOnce(objects: readonly DerivedObject[]): number {
  let rows = 0
  for (const [index, { puts, deletes }] of objects.entries()) {
    // Each object has a tail.
    rows += 1 + deletes.length + puts.filter(({ isInTail }) => !isInTail).length
    if (rows >= MAX_ROWS) return index + 1
  }
  return objects.length
}

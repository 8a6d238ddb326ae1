import type { DerivedObject, DerivedWork, RecordProgress } from '../store/record-store.ts'
import type { Backlog, Slice } from './derive-slice.ts'
import { isPermanent } from './retries.ts'
import { ALL_ROWS, TaskList } from './task-list.ts'

/** The rows that one transaction writes: some milliseconds. An object is never split. */
const MAX_ROWS = 300

type Write = (work: DerivedWork) => Promise<RecordProgress | null>

/**
 * Writes a slice in one or more transactions. The progress moves with the last one, so that a slice that was cut
 * is derived again. An object that cannot be written becomes a failed task. Returns the backlog behind it. Null: another
 * process derives.
 */
export async function applySlice(
  write: Write,
  { work, tasks, places, known, isChange, now }: Slice,
): Promise<Backlog | null> {
  const { from, to, objects } = work
  if (!isChange) return { progress: from, tasks, places, known }
  const failed = new Map<number, unknown>()
  let progress = from

  /** Returns whether this process still derives. */
  async function writeObjects(part: readonly DerivedObject[]): Promise<boolean> {
    const upTo = { ...from!, lastId: to.lastId }
    try {
      progress = await write({ from: progress, to: upTo, objects: part, tasks: [], doneTasks: [] })
      return progress !== null
    } catch (error) {
      if (!isPermanent(error)) throw error
      if (part.length > 1) return writeEach(part)
      failed.set(part[0]!.object, error)
      return true
    }
  }

  async function writeEach(part: readonly DerivedObject[]): Promise<boolean> {
    for (const each of part) if (!(await writeObjects([each]))) return false
    return true
  }

  let left = objects
  for (let count = countAtOnce(left); count < left.length; count = countAtOnce(left)) {
    if (!(await writeObjects(left.slice(0, count)))) return null
    left = left.slice(count)
  }
  if (failed.size === 0) {
    try {
      progress = await write({ ...work, from: progress, objects: left })
      return progress && { progress, tasks, places, known }
    } catch (error) {
      if (!isPermanent(error) || left.length === 0) throw error
    }
  }
  if (!(await writeEach(left))) return null
  const list = new TaskList(tasks)
  for (const [object, error] of failed) {
    known.forget(object)
    list.failRanges(object, [ALL_ROWS], now, error)
  }
  progress = await write({ ...work, from: progress, objects: [], ...withFailed(work, list) })
  return progress && { progress, tasks: list.all(), places, known }
}

/** The changes of tasks of a slice, with those of a list after it. */
function withFailed(work: DerivedWork, list: TaskList): Pick<DerivedWork, 'tasks' | 'doneTasks'> {
  const { tasks } = list.changes()
  const failed = new Set(tasks.map(({ id }) => id))
  const isOther = ({ kind, id }: { kind: string; id: number }) =>
    kind !== 'object' || !failed.has(id)
  return {
    tasks: [...work.tasks.filter(isOther), ...tasks],
    doneTasks: work.doneTasks.filter(isOther),
  }
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

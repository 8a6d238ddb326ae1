import type { InTurn } from '../../base/domain/common/slots.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { ChangeWatch } from '../changes/change-watch.ts'
import type { ChangeLogStore } from '../store/change-log.ts'
import type {
  DerivedObject,
  DerivedWork,
  RecordProgress,
  RecordStore,
  RecordTask,
} from '../store/record-store.ts'
import { type Backlog, deriveSlice, readBacklog, type Slice } from './derive-slice.ts'
import { isPermanent, type KnownProgress, retries } from './retries.ts'
import { ALL_ROWS, TaskList } from './task-list.ts'

export type LoopParts = {
  store: { records: Pick<RecordStore, 'apply'>; changeLog: Pick<ChangeLogStore, 'view'> }
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>
  clock: Pick<Clock, 'now'>
  /** The holder of the lease. */
  holder: string
  /** Resolves after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Runs a slice when it is its turn among those of other organizations. */
  inTurn: InTurn
  /** Starts an empty memory of derived objects. Needed whenever somebody else wrote what is stored. */
  remember(): KnownProgress
  derived(rows: number): void
  failed(error: unknown): void
  /** Gets a task that failed for the first time, by a fault of the data or of the program. */
  failedTask(organization: number, task: RecordTask): void
}

/** Derives the records of one organization until it is stopped, loses the lease, or the organization is gone. */
export type OrganizationLoop = {
  /** The number of tasks that are left. */
  tasks(): number
  /** The number of objects and places that cannot be derived. */
  failures(): number
  /** The milliseconds since the oldest change or task that is not derived was found; 0 if everything is derived. */
  behindMs(): number
  /** Whether the last change was derived longer ago than this. */
  isIdleFor(ms: number): boolean
  readonly ended: Promise<void>
  stop(): void
}

/**
 * An organization's changes are derived this often at most, because each slice has costs of its own. With the 250 ms in
 * which changes of other processes are found, and the slice itself, a record is there within a second.
 */
const EVERY_MS = 400

/** The pause between slices of a backlog. Requests and packets get most of the time. */
const PAUSE_MS = 5

/** The pause after a failure of the store. It doubles with each failure that is not an outage. */
const AFTER_FAILURE_MS = 1_000

const MAX_AFTER_FAILURE_MS = 60_000

type Next = 'end' | { afterMs: number } | { afterChange: number }

export function startLoop(parts: LoopParts, organization: number): OrganizationLoop {
  const { store, holder } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const retried = retries(() => performance.now())
  let backlog: Backlog | null = null
  let permanentFailures = 0
  let behindSince: number | null = performance.now()
  let workedAt = performance.now()

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now()
      const next = await parts.inTurn(organization, step).catch((error): Next => {
        backlog = null
        parts.failed(error)
        permanentFailures = isPermanent(error) ? permanentFailures + 1 : 0
        return {
          afterMs: Math.min(MAX_AFTER_FAILURE_MS, AFTER_FAILURE_MS * 2 ** permanentFailures),
        }
      })
      if (next === 'end') return
      if ('afterMs' in next) {
        await parts.wait(next.afterMs, signal)
        continue
      }
      behindSince = null
      await parts.wait(Math.max(0, startedAt + EVERY_MS - performance.now()), signal)
      await nextChange(parts, organization, next.afterChange, retried.dueInMs(), signal)
      behindSince = performance.now()
    }
  }

  async function step(): Promise<Next> {
    if (signal.aborted) return 'end'
    let hasBegun = false
    const slice = await store.changeLog.view(organization, async (view) => {
      // An earlier run has changed the memory of objects, but stored nothing.
      if (hasBegun) backlog = null
      hasBegun = true
      backlog = await readBacklog(view, backlog, parts.remember)
      return deriveSlice(view, backlog, parts.clock.now(), retried.mayTry)
    })
    if (slice === null) return 'end'
    const write = (work: DerivedWork) => store.records.apply(organization, holder, work)
    backlog = await applySlice(write, slice)
    if (backlog === null) return 'end'
    permanentFailures = 0
    for (const task of retried.note(backlog.tasks)) parts.failedTask(organization, task)
    parts.derived(slice.rows)
    if (slice.isChange) workedAt = performance.now()
    if (!slice.isDone) return { afterMs: slice.isWaiting ? EVERY_MS : PAUSE_MS }
    return { afterChange: backlog.progress!.seq }
  }

  return {
    tasks: () => backlog?.tasks.filter(({ failedAt }) => failedAt === null).length ?? 0,
    failures: retried.failed,
    behindMs: () => (behindSince === null ? 0 : performance.now() - behindSince),
    isIdleFor: (ms) =>
      behindSince === null && retried.failed() === 0 && performance.now() - workedAt > ms,
    ended: run(),
    stop: () => stopping.abort(),
  }
}

/** Resolves when there is a change after number `known`, or when a failed task is due. Null: none has failed. */
async function nextChange(
  { changeWatch, wait }: LoopParts,
  organization: number,
  known: number,
  dueInMs: number | null,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const woken = new AbortController()
  const wake = () => resolve()
  if (dueInMs !== null) void wait(dueInMs, woken.signal).then(wake)
  const reader = { known, takesRecords: true, wake }
  signal.addEventListener('abort', wake, { once: true })
  changeWatch.wait(organization, reader)
  await promise
  woken.abort()
  signal.removeEventListener('abort', wake)
  changeWatch.leave(organization, reader)
}

/** The rows that one transaction writes: some milliseconds. An object is never split. */
const MAX_ROWS = 300

type Write = (work: DerivedWork) => Promise<RecordProgress | null>

/**
 * Writes a slice in one or more transactions. The progress moves with the last one, so that a slice that was cut
 * is derived again. An object that cannot be written becomes a failed task. Returns the backlog after it. Null: another
 * process derives.
 */
export async function applySlice(
  write: Write,
  { work, tasks, places, levels, known, isChange, now }: Slice,
): Promise<Backlog | null> {
  const { from, to, objects } = work
  if (!isChange) return { progress: from, tasks, places, levels, known }
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

  let remaining = objects
  for (
    let count = countAtOnce(remaining);
    count < remaining.length;
    count = countAtOnce(remaining)
  ) {
    if (!(await writeObjects(remaining.slice(0, count)))) return null
    remaining = remaining.slice(count)
  }
  if (failed.size === 0) {
    try {
      progress = await write({ ...work, from: progress, objects: remaining })
      return progress && { progress, tasks, places, levels, known }
    } catch (error) {
      if (!isPermanent(error) || remaining.length === 0) throw error
    }
  }
  if (!(await writeEach(remaining))) return null
  const list = new TaskList(tasks)
  for (const [object, error] of failed) {
    known.forget(object)
    list.failRanges(object, [ALL_ROWS], now, error)
  }
  progress = await write({ ...work, from: progress, objects: [], ...withFailed(work, list) })
  return progress && { progress, tasks: list.all(), places, levels, known }
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

import type { RecordTask } from '../store/record-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { ObjectProgress } from './object-progress.ts'
import { nameOf } from './task-list.ts'

/** When the tasks of an organization that failed are tried again. */
export type Retries = {
  /** Whether to try a failed task now. A change of its object or place shortens the pause to the shortest one. */
  mayTry(task: RecordTask, isChanged: boolean): boolean
  /** Notes the tasks after a slice. Returns those that failed for the first time. */
  note(tasks: readonly RecordTask[]): RecordTask[]
  /** The number of failed tasks. */
  failed(): number
  /** The milliseconds until a failed task is due. Null: no task failed. */
  dueInMs(): number | null
}

const MIN_PAUSE_MS = 60_000

const MAX_PAUSE_MS = 3_600_000

type Attempt = { failedAt: number; triedAt: number; pauseMs: number }

/**
 * The retries of one process. The pauses grow up to an hour, because a fault of the data or of the program usually
 * stays. Another process or version tries at once. `now`: the monotonic time in milliseconds.
 */
export function retries(now: () => number): Retries {
  const attempts = new Map<string, Attempt>()

  function attemptAfter(before: Attempt | undefined, failedAt: number): Attempt {
    const pauseMs = before ? Math.min(2 * before.pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS
    return { failedAt, triedAt: now(), pauseMs }
  }

  return {
    mayTry(task, isChanged) {
      const attempt = attempts.get(nameOf(task))
      if (attempt === undefined) return true
      if (isChanged) attempt.pauseMs = MIN_PAUSE_MS
      return now() >= attempt.triedAt + attempt.pauseMs
    },
    note(tasks) {
      const first: RecordTask[] = []
      const gone = new Set(attempts.keys())
      for (const task of tasks) {
        const name = nameOf(task)
        const attempt = attempts.get(name)
        gone.delete(name)
        // A task that is tried again in several slices may still fail.
        if (task.failedAt === null || task.failedAt === attempt?.failedAt) continue
        if (attempt === undefined) first.push(task)
        attempts.set(name, attemptAfter(attempt, task.failedAt))
      }
      for (const name of gone) attempts.delete(name)
      return first
    },
    failed: () => attempts.size,
    dueInMs() {
      let dueAt: number | null = null
      for (const { triedAt, pauseMs } of attempts.values()) {
        dueAt = Math.min(dueAt ?? Number.POSITIVE_INFINITY, triedAt + pauseMs)
      }
      return dueAt && Math.max(0, dueAt - now())
    },
  }
}

/**
 * Whether an error is a fault of the data or of the program, so that it concerns one object or place only, and would
 * return with each try. An outage concerns all of them, as does a statement that the engine of a store refused, which
 * has a code.
 */
export function isPermanent(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return false
  const isOfProgram =
    error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
  return isOfProgram || !('code' in Object(error))
}

/** The progress of objects in the memory of the process that derives them, so that it is not read for each packet. */
export type KnownProgress = {
  get(object: number): ObjectProgress | undefined
  set(object: number, progress: ObjectProgress): void
  forget(object: number): void
}

/** Some 1.5 KB each. */
const MAX_OBJECTS = 50_000

/**
 * The memory of a process for the objects that were derived last, of all organizations. Each call of the returned
 * function gives an empty part of it. To forget everything, a caller takes a new part.
 */
export function progressMemory(most = MAX_OBJECTS): () => KnownProgress {
  const kept = new Map<number, { by: KnownProgress; progress: ObjectProgress }>()
  return () => {
    const known: KnownProgress = {
      get(object) {
        const found = kept.get(object)
        return found?.by === known ? found.progress : undefined
      },
      set(object, progress) {
        kept.delete(object)
        kept.set(object, { by: known, progress })
        if (kept.size > most) kept.delete(kept.keys().next().value!)
      },
      forget(object) {
        if (kept.get(object)?.by === known) kept.delete(object)
      },
    }
    return known
  }
}

import { LAST_TIME, type TimeRange } from '../domain/time/time-range.ts'
import { NOT_FAILED, type RecordTask } from '../store/record-store.ts'

export type TaskName = Pick<RecordTask, 'kind' | 'id'>

const MAX_ERROR_LENGTH = 300
export const ALL_ROWS: TimeRange = { from: 0, to: LAST_TIME }

/**
 * The tasks of an organization, with those that a slice adds, moves on and finishes. A task that failed waits in the list
 * until it is tried again.
 */
export class TaskList {
  private readonly tasks: Map<string, RecordTask>
  private readonly changed = new Map<string, TaskName>()

  constructor(tasks: Iterable<RecordTask>) {
    this.tasks = new Map(Array.from(tasks, (task) => [nameOf(task), task]))
  }

  /** Whether there is work for the next slice. */
  get isEmpty(): boolean {
    return this.tasks.values().every(({ failedAt }) => failedAt !== null)
  }

  all(): RecordTask[] {
    return [...this.tasks.values()]
  }

  ofKinds(...kinds: RecordTask['kind'][]): RecordTask[] {
    return this.all().filter(({ kind, failedAt }) => failedAt === null && kinds.includes(kind))
  }

  failed(): RecordTask[] {
    return this.all().filter(({ failedAt }) => failedAt !== null)
  }

  hasFailed(name: TaskName): boolean {
    return (this.tasks.get(nameOf(name))?.failedAt ?? null) !== null
  }

  /** Adds a task, moves it on, or has it tried again. */
  put({ kind, id, after }: TaskName & Pick<RecordTask, 'after'>): void {
    this.set({ kind, id, after, ...NOT_FAILED })
  }

  fail(name: TaskName, after: number, now: number, error: unknown): void {
    const text = String(error).slice(0, MAX_ERROR_LENGTH)
    this.set({ kind: name.kind, id: name.id, after, failedAt: now, error: text })
  }

  private set(task: RecordTask): void {
    this.tasks.set(nameOf(task), task)
    this.changed.set(nameOf(task), task)
  }

  /** Has the records of all objects derived anew, which includes the visits to edited places. */
  deriveHistory(): void {
    this.put({ ...HISTORY, after: 0 })
    for (const place of this.ofKinds('geofence', 'site')) this.finish(place)
  }

  finish(task: TaskName): void {
    if (this.tasks.delete(nameOf(task))) this.changed.set(nameOf(task), task)
  }

  /** The range of an object's rows that is left to derive. Undefined: there is none. */
  rangeOf(object: number): TimeRange | undefined {
    const task = this.tasks.get(nameOf({ kind: 'object', id: object }))
    return task === undefined ? undefined : { from: task.after + 1, to: LAST_TIME }
  }

  /** Notes what is left to derive of an object. If it failed, that waits too. */
  leave(object: number, ranges: readonly TimeRange[]): void {
    const named = { kind: 'object', id: object } as const
    const after = startOf(ranges) - 1
    const task = this.tasks.get(nameOf(named))
    if (ranges.length === 0) this.finish(named)
    else if (task === undefined || task.failedAt === null) this.put({ ...named, after })
    else if (after < task.after) this.set({ ...task, after })
  }

  /** Notes that these ranges of an object cannot be derived. */
  failRanges(object: number, ranges: readonly TimeRange[], now: number, error: unknown): void {
    this.fail({ kind: 'object', id: object }, startOf(ranges) - 1, now, error)
  }

  /** Whether all records of an object will be derived anew. */
  isAhead(object: number): boolean {
    const history = this.tasks.get(nameOf(HISTORY))
    return history !== undefined && object > history.after
  }

  /** The tasks to store, and those to delete. */
  changes(): { tasks: RecordTask[]; doneTasks: TaskName[] } {
    const tasks: RecordTask[] = []
    const doneTasks: TaskName[] = []
    for (const [name, { kind, id }] of this.changed) {
      const task = this.tasks.get(name)
      if (task === undefined) doneTasks.push({ kind, id })
      else tasks.push(task)
    }
    return { tasks, doneTasks }
  }
}

/** The task that derives the records of all objects anew. An organization has one at most. */
export const HISTORY = { kind: 'history', id: 0 } as const

function nameOf({ kind, id }: TaskName): string {
  return `${kind} ${id}`
}

function startOf(ranges: readonly TimeRange[]): number {
  return ranges.reduce((first, { from }) => Math.min(first, from), LAST_TIME)
}

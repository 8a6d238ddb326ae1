import type { TimeRange } from '../domain/time/time-range.ts'
import type { RecordTask } from '../store/record-store.ts'
import { BEHIND_ALL } from './touched.ts'

type Name = Pick<RecordTask, 'kind' | 'id'>

/** The tasks of an organization, with those that a slice adds, moves on and finishes. */
export class TaskList {
  private readonly tasks: Map<string, RecordTask>
  private readonly changed = new Map<string, Name>()

  constructor(tasks: Iterable<RecordTask>) {
    this.tasks = new Map(Array.from(tasks, (task) => [nameOf(task), task]))
  }

  get size(): number {
    return this.tasks.size
  }

  all(): RecordTask[] {
    return [...this.tasks.values()]
  }

  ofKinds(...kinds: RecordTask['kind'][]): RecordTask[] {
    return this.all().filter(({ kind }) => kinds.includes(kind))
  }

  put(task: RecordTask): void {
    this.tasks.set(nameOf(task), task)
    this.changed.set(nameOf(task), task)
  }

  /** Has the records of all objects derived anew, which includes the visits to edited places. */
  deriveHistory(): void {
    this.put({ ...HISTORY, after: 0 })
    for (const place of this.ofKinds('geofence', 'site')) this.finish(place)
  }

  finish(task: Name): void {
    if (this.tasks.delete(nameOf(task))) this.changed.set(nameOf(task), task)
  }

  /** The range of an object's rows that is left to derive. Undefined: there is none. */
  rangeOf(object: number): TimeRange | undefined {
    const task = this.tasks.get(nameOf({ kind: 'object', id: object }))
    return task === undefined ? undefined : { from: task.after + 1, to: BEHIND_ALL }
  }

  /** Notes what is left to derive of an object. */
  leave(object: number, ranges: readonly TimeRange[]): void {
    const named = { kind: 'object', id: object } as const
    const first = ranges.reduce((least, { from }) => Math.min(least, from), BEHIND_ALL)
    if (ranges.length === 0) this.finish(named)
    else this.put({ ...named, after: first - 1 })
  }

  /** Whether all records of an object will be derived anew. */
  isAhead(object: number): boolean {
    const history = this.tasks.get(nameOf(HISTORY))
    return history !== undefined && object > history.after
  }

  /** The tasks to store, and those to delete. */
  changes(): { tasks: RecordTask[]; doneTasks: Name[] } {
    const tasks: RecordTask[] = []
    const doneTasks: Name[] = []
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

function nameOf({ kind, id }: Name): string {
  return `${kind} ${id}`
}

import { addAll } from '../../base/domain/common/any-number.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ItemEntry, ObjectEntry } from '../store/change-entries.ts'
import { type ChangeView, changesAfter, type LoggedChange } from '../store/change-log.ts'
import { NOT_FAILED, type RecordTask } from '../store/record-store.ts'

type TaskName = Pick<RecordTask, 'kind' | 'id'>

const MAX_ERROR_LENGTH = 300

export const ALL_ROWS: TimeRange = { from: 0, to: LAST_TIME }

/**
 * The tasks of an organization, with those that a slice adds, advances and finishes. A task that failed waits in the
 * list until it is tried again.
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

  /** Whether all work waits for objects that are being folded again. */
  waitsFor(refolded: ReadonlySet<number>): boolean {
    const waits = ({ kind, id, failedAt }: RecordTask) =>
      failedAt !== null || (kind === 'object' && refolded.has(id))
    return this.tasks.values().every(waits)
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

  /** Adds a task, advances it, or lets a failed one be tried again. */
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

  /** Adds a task for the records of all objects, which include visits to edited places and changes of levels. */
  deriveHistory(): void {
    this.put({ ...HISTORY, after: 0 })
    for (const task of this.ofKinds('geofence', 'site', 'attribute')) this.finish(task)
  }

  finish(task: TaskName): void {
    if (this.tasks.delete(nameOf(task))) this.changed.set(nameOf(task), task)
  }

  /** The range of an object's rows that is left to derive. Undefined if there is none. */
  rangeOf(object: number): TimeRange | undefined {
    const task = this.tasks.get(nameOf({ kind: 'object', id: object }))
    return task === undefined ? undefined : { from: task.after + 1, to: LAST_TIME }
  }

  /** Notes the ranges of an object that are left to derive. If the object has failed, they wait with it. */
  setRemaining(object: number, ranges: readonly TimeRange[]): void {
    const named = { kind: 'object', id: object } as const
    const after = startOf(ranges) - 1
    const task = this.tasks.get(nameOf(named))
    if (ranges.length === 0) this.finish(named)
    else if (after === task?.after) return
    else if (task === undefined || task.failedAt === null) this.put({ ...named, after })
    else if (after < task.after) this.set({ ...task, after })
  }

  /** Notes that these ranges of an object cannot be derived. */
  failRanges(object: number, ranges: readonly TimeRange[], now: number, error: unknown): void {
    this.fail({ kind: 'object', id: object }, startOf(ranges) - 1, now, error)
  }

  /**
   * Whether the task of the history has not reached this object yet, so that all its records will be derived again.
   */
  awaitsHistory(object: number): boolean {
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

/** The task that derives the records of all objects again. An organization has at most one. */
export const HISTORY = { kind: 'history', id: 0 } as const

/** A text that is unique to this task. */
export function nameOf({ kind, id }: TaskName): string {
  return `${kind} ${id}`
}

export function startOf(ranges: readonly TimeRange[]): number {
  return ranges.reduce((first, { from }) => Math.min(first, from), LAST_TIME)
}

/** The rows, places and objects that changes up to number `seq` concern. */
type Touched = {
  seq: number
  /** The ranges of rows of each object. */
  objects: Map<number, TimeRange[]>
  /** Edited, new and deleted places. */
  places: Pick<RecordTask, 'kind' | 'id'>[]
  /** Edited, new and deleted levels. */
  levels: Set<number>
  /** Deleted objects. One of them may exist again under its id. */
  gone: number[]
  /** Whether a retention changed. */
  hasRetention: boolean
}

/** Beyond this, changes are first noted as tasks, so that a long backlog takes bounded memory. */
const MAX_POSITIONS = 20_000

const MAX_CHANGES = 5_000

/** Reads the changes after number `after`, as many as one slice may hold. */
export async function readTouched(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): Promise<Touched> {
  const touched: Touched = {
    ...{ seq: after, objects: new Map(), places: [], levels: new Set(), gone: [] },
    hasRetention: false,
  }
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
  touched.hasRetention ||= entries.retainedBefore !== undefined
  for (const item of entries.items) addItem(touched, item)
  for (const id of entries.attributes) touched.levels.add(id)
  for (const entry of entries.objects) {
    positions += entry.positions.length
    const ranges = touched.objects.get(entry.object)
    if (ranges === undefined) touched.objects.set(entry.object, rangesOf(entry))
    else addAll(ranges, rangesOf(entry))
  }
  return positions
}

function addItem(touched: Touched, { topic, id, isDeleted, retainedBefore }: ItemEntry): void {
  const { places, gone } = touched
  touched.hasRetention ||= retainedBefore !== undefined
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

import { minOf } from '../../base/domain/common/any-number.ts'
import { type ChangeView, committedAt } from '../store/change-log.ts'
import type { DerivedWork, RecordProgress, RecordTask } from '../store/record-store.ts'
import { editedPlaces, type KnownPlaces, readPlaces } from './known-places.ts'
import { type LevelEntries, levelEntries } from './levels/level-digests.ts'
import type { KnownProgress, Retries } from './retries.ts'
import type { VisitedPlace } from './rules/place-index.ts'
import { SliceDerivation } from './slice-derivation.ts'
import { ALL_ROWS, HISTORY, readTouched, TaskList } from './task-list.ts'

/** All that a process knows of an organization between two slices. */
export type Backlog = {
  progress: RecordProgress | null
  tasks: readonly RecordTask[]
  /** Null: they were edited since they were read, or were not read yet. */
  places: KnownPlaces | null
  levels: LevelEntries | null
  known: KnownProgress
}

export type Slice = {
  work: DerivedWork
  /** The tasks, the places and the levels after it. */
  tasks: readonly RecordTask[]
  places: KnownPlaces | null
  levels: LevelEntries | null
  known: KnownProgress
  /** The number of rows derived. */
  rows: number
  /** The time of the change that it writes. */
  now: number
  /** Whether there is something to write. */
  isChange: boolean
  /** Whether all changes and tasks of the view are derived, and if not, whether all of them wait for objects that are folded again. */
  isDone: boolean
  isWaiting: boolean
}

/** A slice takes some milliseconds for tasks, on top of the time for changes. */
const MAX_TASK_ROWS = 2_000
const MAX_TASK_SEGMENTS = 5_000
/** Each slice advances the tasks of all edited places. With more tasks, deriving the whole history costs less. */
const MAX_PLACE_TASKS = 100
/** With more rows than this, the remaining changed objects wait as tasks. */
const MAX_ROWS = 20_000
const OBJECTS_AT_ONCE = 50
const ALL_TASKS = 2 ** 31 - 1

/** The backlog as of a view. Reads only what another process has changed since `last`. */
export async function readBacklog(
  view: ChangeView,
  last: Backlog | null,
  remember: () => KnownProgress,
): Promise<Backlog> {
  const progress = await view.progress()
  if (last !== null && isSame(last.progress, progress)) return last
  return {
    progress,
    tasks: await view.tasks(ALL_TASKS),
    places: null,
    levels: null,
    known: remember(),
  }
}

function isSame(a: RecordProgress | null, b: RecordProgress | null): boolean {
  return a?.seq === b?.seq && a?.lastId === b?.lastId
}

/**
 * Derives the next slice: all changes of the view, and some of the tasks. An object is derived only together
 * with all that changed of it up to the moment of the view. Otherwise its rows, which are as of that moment,
 * would be ahead of the changes that they are derived for. An object or place that cannot be derived becomes a failed
 * task, which is tried again when `mayTry` says so. The others do not wait for it.
 */
export async function deriveSlice(
  view: ChangeView,
  backlog: Backlog,
  now: number,
  mayTry: Retries['mayTry'] = () => false,
): Promise<Slice> {
  const { progress, known } = backlog
  const tasks = new TaskList(backlog.tasks)
  if (progress === null || isCut(view, progress)) {
    tasks.deriveHistory()
    return sliceOf(view, backlog, tasks, { now, seq: view.asOf })
  }
  const touched = await readTouched(view, progress.seq)
  const { seq, objects, places: edited, gone } = touched
  for (const object of gone) {
    known.forget(object)
    if (tasks.hasFailed({ kind: 'object', id: object }))
      tasks.finish({ kind: 'object', id: object })
  }
  for (const place of edited) tasks.put({ ...place, after: 0 })
  for (const id of touched.levels) tasks.put({ kind: 'attribute', id, after: 0 })
  if (tasks.ofKinds('geofence', 'site').length > MAX_PLACE_TASKS) tasks.deriveHistory()
  if (seq < view.asOf) {
    for (const [object, ranges] of objects) {
      const remaining = tasks.rangeOf(object)
      if (!tasks.awaitsHistory(object))
        tasks.setRemaining(object, remaining ? [...ranges, remaining] : ranges)
    }
    return sliceOf(view, backlog, tasks, { now, seq })
  }
  const again = tasks.failed().filter((task) => mayTry(task, isTouched(task, objects)))
  for (const task of again) tasks.put(task)
  const isKnown = edited.length === 0 && !again.some(({ kind }) => kind !== 'object')
  const places = (isKnown && backlog.places) || (await readPlaces(view))
  for (const { error, ...place } of places.faults) {
    if (!tasks.hasFailed(place)) tasks.fail(place, 0, now, error)
  }
  const isSameLevels = touched.levels.size === 0
  const levels = (isSameLevels && backlog.levels) || levelEntries(await view.attributes())
  const derivation = new SliceDerivation({
    view,
    places: places.index,
    levels,
    tasks,
    known,
    touched: objects,
    refolded: new Set(await view.inRefold()),
    now,
    lastId: progress.lastId,
  })
  await runTasks(view, places, tasks, derivation)
  await derivation.deriveTouched(MAX_ROWS)
  return sliceOf(view, backlog, tasks, { now, seq, places, levels, derivation })
}

/** Whether changes that were not derived are no longer kept. */
function isCut({ oldest, asOf }: ChangeView, { seq }: RecordProgress): boolean {
  return seq < oldest - 1 || seq > asOf
}

function isTouched({ kind, id }: RecordTask, objects: ReadonlyMap<number, unknown>): boolean {
  return kind === 'object' && objects.has(id)
}

type Outcome = {
  now: number
  seq: number
  places?: KnownPlaces
  levels?: LevelEntries
  derivation?: SliceDerivation
}

async function sliceOf(
  view: ChangeView,
  { progress, tasks, known }: Backlog,
  list: TaskList,
  { now, seq, places, levels, derivation }: Outcome,
): Promise<Slice> {
  const isDone = list.isEmpty && seq === view.asOf
  // Records are complete up to a moment only if nothing before that moment is left.
  const isFurther =
    isDone && (seq !== progress?.seq || tasks.some(({ failedAt }) => failedAt === null))
  const at = isFurther ? await committedAt(view, seq) : progress?.at
  const lastId = derivation?.lastId ?? progress?.lastId ?? 0
  const { rows = 0 } = derivation ?? {}
  // Objects are derived side by side, and end in an order that depends on how long each takes.
  const objects = (derivation?.objects ?? []).toSorted((a, b) => a.object - b.object)
  const to = { seq, at: at ?? 0, lastId }
  const changes = list.changes()
  const count = objects.length + changes.tasks.length + changes.doneTasks.length
  return {
    work: { from: progress, to, objects, ...changes },
    tasks: list.all(),
    places: places ?? null,
    levels: levels ?? null,
    known,
    rows,
    now,
    isChange: count > 0 || !isSame(progress, to) || progress?.at !== to.at,
    isDone,
    isWaiting: derivation !== undefined && list.waitsFor(derivation.refolded),
  }
}

async function runTasks(
  view: ChangeView,
  places: KnownPlaces,
  tasks: TaskList,
  derivation: SliceDerivation,
): Promise<void> {
  if (tasks.isEmpty) return
  for (const { id } of tasks.ofKinds('object')) {
    if (derivation.rows >= MAX_TASK_ROWS) return
    await derivation.deriveRanges(id, [])
  }
  const [history] = tasks.ofKinds('history')
  if (history !== undefined) return runHistory(view, history, tasks, derivation)
  await runPlaces(view, places, tasks, derivation)
  await runLevels(view, tasks, derivation)
}

async function runHistory(
  view: ChangeView,
  { after: last }: RecordTask,
  tasks: TaskList,
  derivation: SliceDerivation,
): Promise<void> {
  const objects = await view.itemsAfter('objects', last, OBJECTS_AT_ONCE)
  let after = last
  for (const { id } of objects) {
    if (derivation.rows >= MAX_TASK_ROWS || derivation.has(id)) break
    await derivation.deriveRanges(id, [ALL_ROWS])
    after = id
  }
  moveOn([HISTORY], after, objects, tasks)
}

/** Derives visits to edited places: together for those whose tasks have reached the same object. */
async function runPlaces(
  view: ChangeView,
  places: KnownPlaces,
  tasks: TaskList,
  derivation: SliceDerivation,
): Promise<void> {
  const all = tasks.ofKinds('geofence', 'site')
  const last = minOf(all.map(({ after }) => after))
  const together = all.filter(({ after }) => after === last)
  if (together.length === 0) return
  const objects = await view.itemsAfter('objects', last, OBJECTS_AT_ONCE)
  const ids = objects.map(({ id }) => id)
  const concernedRanges = await editedPlaces(view, places, together.map(visited), ids)
  let after = last
  let segments = 0
  for (const id of ids) {
    const isFull = derivation.rows >= MAX_TASK_ROWS || segments >= MAX_TASK_SEGMENTS
    if (isFull || derivation.has(id)) break
    await derivation.isolated(id, [ALL_ROWS], async () => {
      const spans = await view.segments(id)
      segments += spans.length
      const ranges = concernedRanges(id, spans)
      if (ranges.length > 0) await derivation.deriveRanges(id, ranges)
    })
    after = id
  }
  moveOn(together, after, objects, tasks)
}

/** Derives the changes of edited levels. An object finds itself which of its levels have other settings. */
async function runLevels(
  view: ChangeView,
  tasks: TaskList,
  derivation: SliceDerivation,
): Promise<void> {
  const all = tasks.ofKinds('attribute')
  if (all.length === 0) return
  const last = minOf(all.map(({ after }) => after))
  const objects = await view.itemsAfter('objects', last, OBJECTS_AT_ONCE)
  let after = last
  for (const { id } of objects) {
    if (derivation.rows >= MAX_TASK_ROWS || derivation.has(id)) break
    await derivation.deriveRanges(id, [])
    after = id
  }
  moveOn(
    all.filter((task) => task.after === last),
    after,
    objects,
    tasks,
  )
}

function visited({ kind, id }: RecordTask): VisitedPlace {
  return { placeType: kind as VisitedPlace['placeType'], place: id }
}

/** Notes the last object that tasks have passed. They are done after the last object of all. */
function moveOn(
  named: readonly Pick<RecordTask, 'kind' | 'id'>[],
  after: number,
  objects: readonly { id: number }[],
  tasks: TaskList,
): void {
  const isDone = objects.length < OBJECTS_AT_ONCE && after === (objects.at(-1)?.id ?? after)
  for (const { kind, id } of named) {
    if (isDone) tasks.finish({ kind, id })
    else tasks.put({ kind, id, after })
  }
}

import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import type { ReaderView } from '../store/change-log.ts'
import { type Found, openFound, type Step, type StepOf } from './change-steps.ts'
import { nextSteps, offsetOf } from './next-steps.ts'
import type { LogOffset, Page, PageEntry, PageOptions } from './page.ts'
import {
  addEntry,
  addHistories,
  addItem,
  addRecord,
  addRecords,
  type Draft,
  firstShown,
  newDraft,
  objectsAfter,
} from './page-entries.ts'
import { shiftSpans } from './shift-spans.ts'

/**
 * The changes that a page passes at most: some 40 ms. Others wait for its connection, and a reader may choose
 * types that hardly change, or come back after weeks.
 */
export const MAX_CHANGES_A_PAGE = 10_000
/** A page is full enough when less than this share of it is left: the last rows would cost the most. */
const SPARED_SHARE = 1 / 8

/**
 * A page of the log: what changed after an offset, each thing as it is now. Does not check whether the log still goes back
 * that far.
 */
export async function logPage(
  view: ReaderView,
  offset: LogOffset,
  options: PageOptions,
): Promise<Page & { next: LogOffset }> {
  const draft = newDraft(view, options)
  const found = openFound(view)
  const last = Math.min(view.asOf, offset.after + MAX_CHANGES_A_PAGE)
  let next = offset
  while (draft.room > options.limit * SPARED_SHARE && next.after < last) {
    const { steps, end } = await nextSteps(view, next, last, options, draft.room)
    await found.lookUp(steps)
    next = (await addSteps(draft, found, steps, next)) ?? end
  }
  const { entries } = draft
  return { asOf: view.asOf, isSnapshot: false, entries, next, hasMore: next.after < view.asOf }
}

/** Adds the entries of steps. Returns the offset at which the page became full before the last one. */
async function addSteps(
  draft: Draft,
  found: Found,
  steps: readonly Step[],
  offset: LogOffset,
): Promise<LogOffset | undefined> {
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]!
    // Only the first step may have been begun by the previous page.
    const before =
      at === 0 && step.seq === offset.after + 1 && step.index === offset.skip
        ? offset
        : offsetOf(step)
    if (draft.room <= 0) return before
    if (step.is === 'position') {
      at += addRun(draft, found, steps, at)
      continue
    }
    const stopped = await addStep(draft, found, step, before)
    if (stopped !== undefined) return stopped
    at += 1
  }
  return undefined
}

async function addStep(
  draft: Draft,
  found: Found,
  step: Exclude<Step, StepOf<'position'>>,
  before: LogOffset,
): Promise<LogOffset | undefined> {
  const { seq } = step
  switch (step.is) {
    case 'item': {
      const { topic, id, isDeleted } = step.item
      if (isDeleted && topic === 'objects' && draft.shownStates.has(id)) {
        return endPage(draft, before)
      }
      if (isDeleted) addEntry(draft, { type: topic, op: 'delete', id, seq, before })
      else if (!isAfterItem(before)) {
        addItem(draft, topic, found.item(topic, id), found.state(id), seq, before)
      }
      return topic === 'objects' && !isDeleted
        ? addUnseen(draft, found, id, seq, afterItem(before))
        : undefined
    }
    case 'state': {
      const object = found.item('objects', step.object)
      const state = found.stateOr(step.object)
      if (object === undefined || comesAgain(step, state)) return undefined
      addState(draft, object, state, seq, before)
      return undefined
    }
    case 'shifts':
      addShifts(draft, found, step, before)
      return undefined
    case 'retention':
      return addRetention(draft, found, step, before)
    case 'object-retention':
      return addObjectRetention(draft, found, step, before)
    case 'record':
      addRecord(draft, found, step, before)
      return undefined
  }
}

/** A state that the page does not show yet, as it is now. */
function addState(
  draft: Draft,
  object: MonitoredObject,
  state: ObjectState,
  seq: number,
  before: LogOffset,
): void {
  if (draft.shownStates.has(object.id)) return
  draft.shownStates.add(object.id)
  addEntry(draft, { type: 'state', op: 'put', object, state, seq, before })
}

/** The offset between an item and its state. A page may end there, so that no item comes twice. */
function afterItem(before: LogOffset): LogOffset {
  return { ...before, time: 0 }
}

function isAfterItem({ time }: LogOffset): boolean {
  return time >= 0
}

/**
 * An object that never reported has a state of nulls, which no position brings. Returns the offset of that state if the
 * page is full.
 */
function addUnseen(
  draft: Draft,
  found: Found,
  id: number,
  seq: number,
  before: LogOffset,
): LogOffset | undefined {
  const object = found.item('objects', id)
  const isWanted = draft.options.selection.types.has('states')
  const state = found.stateOr(id)
  if (!isWanted || object === undefined || state.timeServer !== null) return undefined
  if (draft.room <= 0) return before
  addState(draft, object, state, seq, before)
  return undefined
}

/**
 * Ends the page before an object is deleted that has come back under its id since. The client drops the state
 * that the page shows already. The next page shows it again, after the object.
 */
function endPage(draft: Draft, before: LogOffset): LogOffset {
  draft.room = 0
  return before
}

/**
 * Whether the newest shown position of the object came after the one that the change brought: then a change to come
 * names the object again. A reader of a night in which each object moved a hundred times gets each state once.
 */
function comesAgain({ brought }: StepOf<'state'>, { fold }: ObjectState): boolean {
  return brought !== null && (fold?.shown.time ?? 0) > brought
}

/** Adds a position, with those that follow it in one run. Returns how many steps they are. */
function addRun(draft: Draft, found: Found, steps: readonly Step[], at: number): number {
  const first = steps[at] as StepOf<'position'>
  const { object: id, time, seq, late, row } = first
  const object = found.item('objects', id)
  // Deleted with its object, or older than the retention: nothing new.
  if (object === undefined || time < firstShown(draft, object)) return 1
  if (row === null) {
    const before = offsetOf(first)
    addEntry(draft, { type: 'position', op: 'delete', object: id, time, seq, before })
    return 1
  }
  const run = [first]
  for (let next = at + 1; next < steps.length && run.length < draft.room; next += 1) {
    const step = steps[next]!
    if (!isOneRun(first, step) || step.row?.columns !== row.columns) break
    run.push(step)
  }
  addEntry(draft, {
    type: 'position',
    op: 'put',
    late,
    seq,
    object,
    state: found.stateOr(id),
    ...{ columns: row.columns, first: row.at, count: run.length },
    beforeRow: (index) => offsetOf(run[index]!),
  })
  return run.length
}

/** Whether a step is a position of the same object and change, and as late. */
function isOneRun(first: StepOf<'position'>, step: Step): step is StepOf<'position'> {
  return (
    step.is === 'position' &&
    step.object === first.object &&
    step.seq === first.seq &&
    step.late === first.late
  )
}

/** Adds the shifts of an object all at once, even beyond the page's limit: a client applies them together. */
function addShifts(
  draft: Draft,
  found: Found,
  { seq, object, shifts }: StepOf<'shifts'>,
  before: LogOffset,
): void {
  if (found.item('objects', object) === undefined) return
  for (const span of shiftSpans(shifts, found.trips)) {
    addEntry(draft, { type: 'counters', op: 'shift', object, ...span, seq, before })
  }
}

/**
 * A reader drops positions by its own clock, which may be ahead, and pages of a stream wait until it applies them. So
 * it may have dropped more than the server had hidden.
 */
const CLOCK_AHEAD_MS = 3_600_000

/** Adds the days for which positions are kept now. */
function addRetention(
  draft: Draft,
  found: Found,
  { seq, daysBefore }: StepOf<'retention'>,
  before: LogOffset,
): Promise<LogOffset | undefined> {
  const { retentionDays: days } = draft.view.organization
  return addKept(draft, found, { type: 'retention', op: 'put', days, seq, daysBefore }, before)
}

/** The same of one object. */
async function addObjectRetention(
  draft: Draft,
  found: Found,
  { seq, object, daysBefore }: StepOf<'object-retention'>,
  before: LogOffset,
): Promise<LogOffset | undefined> {
  const days = found.item('objects', object)?.retentionDays
  if (days === undefined) return undefined
  const selection = { ...draft.options.selection, ids: [object] }
  const own = { ...draft, options: { ...draft.options, selection } }
  const put = { type: 'object_retention', op: 'put', object, days, seq, daysBefore } as const
  const reached = await addKept(own, found, put, before)
  draft.room = own.room
  return reached
}

type Unplaced<Entry> = Entry extends { before: unknown } ? Omit<Entry, 'before'> : never
type RetentionPut = Extract<PageEntry, { type: 'retention' | 'object_retention' }>

/**
 * Adds a retention. If it is longer than before, the positions and derived records of the selected objects that the reader
 * has dropped come again. `before` beyond the beginning: the offset that was reached.
 */
async function addKept(
  draft: Draft,
  found: Found,
  { daysBefore, ...put }: Unplaced<RetentionPut> & { daysBefore: number | null },
  before: LogOffset,
): Promise<LogOffset | undefined> {
  const { selection, now } = draft.options
  const { seq, days } = put
  let offset = before
  if (offset.id === 0 && offset.time < 0) {
    addEntry(draft, { ...put, before })
    offset = { ...offset, time: 0 }
  }
  const isLonger = daysBefore !== null && (days === null || days > daysBefore)
  if (!isLonger) return undefined
  const to = now - daysBefore * DAY_MS + CLOCK_AHEAD_MS
  if (selection.types.has('positions') && offset.records === undefined) {
    const reached = await addReplaced(draft, offset, to, seq)
    if (reached !== undefined) return reached
  }
  return addRecords(draft, found, offset, { from: firstShown(draft), to }, seq)
}

/** Adds the positions up to the time `to` again. Returns the offset at which the page became full. */
async function addReplaced(
  draft: Draft,
  before: LogOffset,
  to: number,
  seq: number,
): Promise<LogOffset | undefined> {
  let offset = before
  while (draft.room > 0) {
    const [object] = await objectsAfter(draft, offset.time < 0 ? offset.id : offset.id - 1, 1)
    if (object === undefined) return undefined
    if (offset.id !== object.id || offset.time < 0) {
      const replaced = { object: object.id, from: null, to, seq, before: offset }
      addEntry(draft, { type: 'positions', op: 'replace', ...replaced })
      offset = { ...offset, id: object.id, time: 0 }
    }
    offset = await addHistories(draft, offset, [object], to, seq)
  }
  return offset
}

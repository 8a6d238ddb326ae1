import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import { type Step, type StepOf, stepsOf } from './change-steps.ts'
import { offsetInJoined, stepsOfJoined } from './joined-changes.ts'
import {
  type JoinedChange,
  type JoinedChangeAt,
  type LogOffset,
  logOffset,
  type PageOptions,
  type Selection,
} from './page.ts'

/** Changes that are read from the log at once, and before what they name is looked up. */
const MAX_CHANGES_AT_ONCE = 50
const CHANGES_A_ROUND = 500

type Taken = {
  steps: readonly Step[]
  /** The offset after them. */
  end: LogOffset
}

/** At most `limit` steps after an offset: of a joined change, or of the changes up to number `last`. */
export async function nextSteps(
  view: ReaderView,
  offset: LogOffset,
  last: number,
  { selection, joinedAt = oneByOne, ...options }: PageOptions,
  limit: number,
): Promise<Taken> {
  const next = await joinedAt(view, offset, options)
  if ('last' in next) return takeFrom(next, offset, selection, limit)
  const { steps, end } = await takeSteps(view, offset, next, last, selection, limit)
  return { steps: withoutSuperseded(steps), end }
}

const oneByOne: JoinedChangeAt = (view, { after }) => view.changes(after, 1)

/** At most `limit` selected steps of a joined change after an offset. */
function takeFrom(
  joined: JoinedChange,
  offset: LogOffset,
  selection: Selection,
  limit: number,
): Taken {
  const steps: Step[] = []
  for (const step of stepsOfJoined(joined, offset, selection)) {
    if (steps.length === limit) return { steps, end: offsetOf(step) }
    steps.push(step)
  }
  return { steps, end: logOffset(joined.last) }
}

/**
 * At most `limit` selected steps after an offset, up to the change `last`. A change of the retention is the last
 * one, because it may bring any number of positions. `known`: the next changes, which were read before.
 */
async function takeSteps(
  view: ReaderView,
  offset: LogOffset,
  known: readonly LoggedChange[],
  last: number,
  selection: Selection,
  limit: number,
): Promise<Taken> {
  const steps: Step[] = []
  let after = offset.after
  let changes = known
  for (let read = 0; read < CHANGES_A_ROUND && after < last && steps.length < limit; ) {
    if (read > 0) {
      const atOnce = changesFor(limit - steps.length, steps.length / read)
      changes = await view.changes(after, Math.min(atOnce, last - after))
    }
    // A number without a change must not hold the reader.
    if (changes.length === 0) after += 1
    read += Math.max(1, changes.length)
    for (const change of changes) {
      const skip = change.seq === offset.after + 1 ? offset.skip : 0
      for (const step of stepsOf(change, skip, selection)) {
        if (steps.length === limit) return { steps, end: offsetOf(step) }
        steps.push(step)
        if (mayBringMore(step)) return { steps, end: offsetAfter(step) }
      }
      after = change.seq
    }
  }
  return { steps, end: logOffset(after) }
}

function mayBringMore(step: Step): boolean {
  return (step.is === 'retention' || step.is === 'object-retention') && step.daysBefore !== null
}

/** The number of changes that probably have as many steps. */
function changesFor(steps: number, stepsOfOne: number): number {
  return Math.min(Math.ceil(steps / Math.max(1, stepsOfOne)), MAX_CHANGES_AT_ONCE)
}

/** The offset before a step. */
export function offsetOf(step: Step): LogOffset {
  const { seq, index, joined } = step
  return joined === undefined
    ? { ...logOffset(seq - 1), skip: index }
    : offsetInJoined(joined, step)
}

function offsetAfter(step: Step): LogOffset {
  return { ...offsetOf(step), skip: step.index + 1 }
}

/** Without all but the last step of each position. The others would show the same. */
function withoutSuperseded(steps: readonly Step[]): readonly Step[] {
  if (!mayRepeat(steps)) return steps
  const last = new Map<string, StepOf<'position'>>()
  for (const step of steps) {
    if (step.is !== 'position') continue
    const key = `${step.object} ${step.time}`
    // It was not late when it came.
    if (last.get(key)?.late === false) step.late = false
    last.set(key, step)
  }
  const kept = new Set<Step>(last.values())
  return steps.filter((step) => step.is !== 'position' || kept.has(step))
}

/** Whether a position may be named twice. It is not if the positions of each object are in the order of their times. */
function mayRepeat(steps: readonly Step[]): boolean {
  const newest = new Map<number, number>()
  return steps.some((step) => {
    if (step.is !== 'position') return false
    const isOlder = step.time <= (newest.get(step.object) ?? -1)
    newest.set(step.object, step.time)
    return isOlder
  })
}

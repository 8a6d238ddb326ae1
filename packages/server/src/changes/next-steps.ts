import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import { placeInJoined, stepsOfJoined } from './joined-change.ts'
import {
  type JoinedChange,
  type LogPlace,
  logPlace,
  type PageOptions,
  type Selection,
} from './page.ts'
import { type Step, type StepOf, stepsOf } from './steps.ts'

/** Changes that are read from the log at once, and before what they name is looked up. */
const MAX_CHANGES_AT_ONCE = 50
const CHANGES_A_ROUND = 500

type Taken = {
  steps: readonly Step[]
  /** The place after them. */
  end: LogPlace
}

/** At most `limit` steps after a place: of a joined change, or of the changes up to number `last`. */
export async function nextSteps(
  view: ReaderView,
  place: LogPlace,
  last: number,
  { selection, joinedAt, ...wish }: PageOptions,
  limit: number,
): Promise<Taken> {
  const first = await view.changes(place.after, 1)
  const joined = await joinedAt?.(view, place, wish, first[0])
  if (joined !== undefined) return takeFrom(joined, place, selection, limit)
  const { steps, end } = await takeSteps(view, place, first, last, selection, limit)
  return { steps: withoutSuperseded(steps), end }
}

/** At most `limit` selected steps of a joined change after a place. */
function takeFrom(
  joined: JoinedChange,
  place: LogPlace,
  selection: Selection,
  limit: number,
): Taken {
  const steps: Step[] = []
  for (const step of stepsOfJoined(joined, place, selection)) {
    if (steps.length === limit) return { steps, end: placeOf(step) }
    steps.push(step)
  }
  return { steps, end: logPlace(joined.last) }
}

/**
 * At most `limit` selected steps after a place, up to the change `last`. A change of the retention is the last
 * one, because it may bring any number of positions. `first`: the next change.
 */
async function takeSteps(
  view: ReaderView,
  place: LogPlace,
  first: readonly LoggedChange[],
  last: number,
  selection: Selection,
  limit: number,
): Promise<Taken> {
  const steps: Step[] = []
  let after = place.after
  // One change may name thousands of positions, and fill the page.
  let atOnce = 1
  let read = 0
  for (; read < CHANGES_A_ROUND && after < last && steps.length < limit; read += atOnce) {
    if (read > 0) atOnce = changesFor(limit - steps.length, steps.length / read)
    const changes = read === 0 ? first : await view.changes(after, Math.min(atOnce, last - after))
    // A number without a change must not hold the reader.
    if (changes.length === 0) after += 1
    for (const change of changes) {
      const skip = change.seq === place.after + 1 ? place.skip : 0
      for (const step of stepsOf(change, skip, selection)) {
        if (steps.length === limit) return { steps, end: placeOf(step) }
        steps.push(step)
        if (step.is === 'retention') return { steps, end: placeAfter(step) }
      }
      after = change.seq
    }
  }
  return { steps, end: logPlace(after) }
}

/** The number of changes that probably have as many steps. */
function changesFor(steps: number, stepsOfOne: number): number {
  return Math.min(Math.ceil(steps / Math.max(1, stepsOfOne)), MAX_CHANGES_AT_ONCE)
}

/** The place before a step. */
export function placeOf(step: Step): LogPlace {
  const { seq, index, joined } = step
  return joined === undefined ? { ...logPlace(seq - 1), skip: index } : placeInJoined(joined, step)
}

function placeAfter(step: Step): LogPlace {
  return { ...placeOf(step), skip: step.index + 1 }
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

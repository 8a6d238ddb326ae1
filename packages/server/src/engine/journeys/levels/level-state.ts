import type { TimeRange } from '../../../base/domain/time/time.ts'
import type { ReaderState, Sample } from './samples.ts'
import { MAX_SIDE } from './smoothing.ts'

/** The level at a sample, in units of the level. */
export type LevelPoint = {
  readonly time: number
  readonly level: number
  /** Sums since the fold began. They rise between the start and the end of an event, along with the level. */
  readonly filled: number
  readonly drained: number
}

export type LevelEvent = {
  readonly kind: 'filled' | 'drained'
  /** The times of the last sample before the change and of the first one after it. */
  readonly start: number
  readonly end: number
  readonly before: number
  readonly after: number
  /** The times of the first and the last sample from which these numbers come. */
  readonly reach: TimeRange
}

/** An event that only late or changed rows change. A fold can begin after it. */
export type SettledEvent = LevelEvent & { readonly checkpoint: LevelCheckpoint }

/** Levels and events that no later row changes. */
export type Settled = { readonly points: LevelPoint[]; readonly events: SettledEvent[] }

/** Those that later rows may change. */
export type Unsettled = { readonly points: LevelPoint[]; readonly events: LevelEvent[] }

/** A fold that resumes from it with the rows from `time` on returns what the earlier fold had not returned yet. */
export type LevelCheckpoint = {
  readonly time: number
  /** The reader before that row. */
  readonly reader: ReaderState
  /** The first sample whose level was not returned is at this time or later. */
  readonly first: number
  /** The end of the last event, if a window still reaches it. `reach` is the reach of the event. */
  readonly cut: { readonly time: number; readonly level: number; readonly reach: TimeRange } | null
  readonly low: number
  readonly high: number
  /** The newest row on which it depends. */
  readonly settledAt: number
}

/** An event starts at most this many samples before the one that shows it. */
export const LOOK_BACK = 200

/** The newest samples whose levels a later event may change. */
export const UNSETTLED = LOOK_BACK + MAX_SIDE

/** Everything that later samples need. */
export type LevelState = {
  /** The samples that are not settled, and those before them in their windows. */
  samples: Sample[]
  /** The levels of the first of these samples, as long as no later event is known. */
  levels: number[]
  /** The end of the last event, whose level is certain, or the first sample. */
  cut: number
  isAfterEvent: boolean
  /** The reach of that event. */
  reach: TimeRange
  /** The first sample whose level was not returned yet, and the first that was not searched for a change. */
  first: number
  next: number
  /** How far the change seen at `next` was followed. Null if there is none, or it was not followed yet. */
  followed: { readonly best: number; readonly usable: number; readonly at: number } | null
  /** The lowest level before `first` and before `next`, less what events changed since then. */
  settledLow: number
  low: number
  /** The highest level before `first` and before `next`, less what was usable since then. */
  settledHigh: number
  high: number
  filled: number
  drained: number
}

/** The state of a fold that begins. */
export function beginning(checkpoint: LevelCheckpoint | null): LevelState {
  const low = checkpoint?.low ?? Number.POSITIVE_INFINITY
  const high = checkpoint?.high ?? Number.NEGATIVE_INFINITY
  return {
    samples: [],
    levels: [],
    cut: 0,
    isAfterEvent: false,
    reach: { from: 0, to: 0 },
    first: 0,
    next: 0,
    followed: null,
    settledLow: low,
    low,
    settledHigh: high,
    high,
    filled: 0,
    drained: 0,
  }
}

import type { Tail } from '../store/record-store.ts'
import { type LevelProgress, packLevels, unpackLevels } from './levels/level-progress.ts'
import type { Progress } from './rules/progress.ts'
import { progressOf, tailOf } from './rules/progress-form.ts'

/** How far an object is derived: its trips, stops and visits, and the changes of each of its levels. */
export type ObjectProgress = {
  readonly journeys: Progress
  readonly levels: readonly LevelProgress[]
}

export function packObjectProgress({ journeys, levels }: ObjectProgress): Tail {
  const tail = tailOf(journeys)
  return levels.length === 0 ? tail : { ...tail, levels: packLevels(levels) }
}

export function unpackObjectProgress(tail: Tail): ObjectProgress {
  const { levels } = tail
  return {
    journeys: progressOf(tail),
    levels: levels === undefined ? [] : unpackLevels(levels),
  }
}

import type { LevelFold } from './level-fold.ts'
import type { LevelProgress } from './level-progress.ts'

/*
 * The folds of the levels that a process derived last, so that the next derivation reads new rows alone. Without its fold, a
 * level is read from its newest checkpoint, some hundred rows back.
 */

/** Some 50 KB each. */
const MAX_FOLDS = 500

const folds = new Map<LevelProgress, LevelFold>()

/** The fold as of a progress. It is forgotten, because it moves on. Null: it is not there. */
export function foldOf(progress: LevelProgress): LevelFold | null {
  const fold = folds.get(progress) ?? null
  folds.delete(progress)
  return fold
}

export function keepFold(progress: LevelProgress, fold: LevelFold): void {
  folds.set(progress, fold)
  if (folds.size > MAX_FOLDS) folds.delete(folds.keys().next().value!)
}

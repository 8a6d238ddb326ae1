import type { Progress } from './rules/progress.ts'

/** The progress of objects in the memory of the process that derives them, so that it is not read for each packet. */
export type KnownProgress = {
  get(object: number): Progress | undefined
  set(object: number, progress: Progress): void
}

/** Some 1.5 KB each. */
const MAX_OBJECTS = 50_000

/**
 * Memory for all organizations of a process: those that were derived last. What one caller keeps there, no other one
 * finds, so whoever drops his part drops all that he knew.
 */
export function progressMemory(most = MAX_OBJECTS): () => KnownProgress {
  const kept = new Map<number, { by: KnownProgress; progress: Progress }>()
  return () => {
    const known: KnownProgress = {
      get(object) {
        const found = kept.get(object)
        return found?.by === known ? found.progress : undefined
      },
      set(object, progress) {
        kept.delete(object)
        kept.set(object, { by: known, progress })
        if (kept.size > most) kept.delete(kept.keys().next().value!)
      },
    }
    return known
  }
}

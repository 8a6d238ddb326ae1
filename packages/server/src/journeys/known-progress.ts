import type { Progress } from './rules/progress.ts'

/** The progress of objects in the memory of the process that derives them, so that it is not read for each packet. */
export type KnownProgress = {
  get(object: number): Progress | undefined
  set(object: number, progress: Progress): void
  forget(object: number): void
}

/** Some 1.5 KB each. */
const MAX_OBJECTS = 50_000

/**
 * The memory of a process for the objects that were derived last, of all organizations. Each call of the returned
 * function gives an empty part of it. A caller forgets all that it knew by taking a new part.
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
      forget(object) {
        if (kept.get(object)?.by === known) kept.delete(object)
      },
    }
    return known
  }
}

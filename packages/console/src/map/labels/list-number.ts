/** The shortest time between two loads of the list: about 16 MB for a fleet of 20,000 objects. */
const MIN_RELOAD_MS = 10_000

/** Decides when the list of objects is loaded again. */
export type ListNumber = {
  /** Notes that objects may have been added, deleted or renamed, if the list is older than this. */
  outdate(olderThanMs?: number): void
  /** The number of the list to request. An outdated list is loaded again under a new number. */
  current(): number
}

/** `now`: milliseconds of any clock. */
export function listNumber(now: () => number): ListNumber {
  let loadedAt = Number.NEGATIVE_INFINITY
  let isOutdated = false
  let newest = 0
  return {
    outdate(olderThanMs = 0) {
      if (now() - loadedAt >= olderThanMs) isOutdated = true
    },
    current() {
      if (isOutdated && now() - loadedAt >= MIN_RELOAD_MS) {
        isOutdated = false
        loadedAt = now()
        newest += 1
      }
      return newest
    },
  }
}

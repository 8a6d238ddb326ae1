import { watch } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { CourseOptions } from './course.ts'

/** The share of moments by the clock, which mostly come before the first write. */
const PART_BY_CLOCK = 0.25
const CLOCK_MS = 300
/** A moment comes after this time even without writes. */
const PATIENCE_MS = 5_000

export type Writes = {
  folder: string
  /** The file whose writes count. */
  file: string
  /** The moment is one of the first `most` writes. */
  most: number
}

/**
 * Resolves during or before one of the first writes to a file; at once when a checkpoint begins, because those
 * few milliseconds are the only writes into the database file itself. Counting writes instead of time makes slow
 * machines behave alike.
 */
export async function anyMoment(
  { folder, file, most }: Writes,
  { random, tally }: Pick<CourseOptions, 'random' | 'tally'>,
): Promise<void> {
  const isByClock = random.chance(PART_BY_CLOCK)
  const waitMs = isByClock ? random.between(0, CLOCK_MS) : PATIENCE_MS
  let left = random.whole(1, most)
  const timer = new AbortController()
  // A new folder gets its first page before there is a log.
  let isLogged = false
  const watcher = watch(folder, (_, name) => {
    if (name === 'fleetgate.db-wal') isLogged = true
    const isCheckpoint = name === 'fleetgate.db' && isLogged
    if (isCheckpoint) tally.inCheckpoint += 1
    if (name === file && !isByClock) left -= 1
    if (isCheckpoint || left === 0) timer.abort()
  })
  await wait(waitMs, undefined, { signal: timer.signal }).catch(() => undefined)
  watcher.close()
}

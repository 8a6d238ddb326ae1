import { watch } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { CourseOptions } from './course.ts'

/** Of the moments, those that come by the clock and so, mostly, before the first write. */
const PART_BY_CLOCK = 0.25
const CLOCK_MS = 300
/** After which a moment comes even where nothing is written. */
const PATIENCE_MS = 5_000

export type Writes = {
  folder: string
  /** The file whose writes count. */
  file: string
  /** The moment is one of so many writes, from the first on. */
  most: number
}

/**
 * Resolves in the midst of one of the first writes to a file, or before them; at once when a checkpoint
 * begins, so that none of those few milliseconds goes by unharmed: nothing else writes into the database
 * file itself. By writes rather than by time, so that it is the same on a slow machine.
 */
export async function anyMoment(
  { folder, file, most }: Writes,
  { random, tally }: Pick<CourseOptions, 'random' | 'tally'>,
): Promise<void> {
  const isByClock = random.chance(PART_BY_CLOCK)
  const waitMs = isByClock ? random.between(0, CLOCK_MS) : PATIENCE_MS
  let left = random.whole(1, most)
  const timer = new AbortController()
  // A folder that is being made has its first page written before there is a log.
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

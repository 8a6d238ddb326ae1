import { type Wait, waitUnlessAborted } from '../../engine/repeat.ts'

/** Waits after rows so that no more than some are read in a second. Null: as many as there are. */
export function openPace(
  rowsPerSecond: number | null,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
  wait: Wait = waitUnlessAborted,
): (rows: number) => Promise<void> {
  let freeAt = now()
  return async (rows) => {
    if (rowsPerSecond === null) return
    freeAt = Math.max(freeAt, now()) + (rows * 1000) / rowsPerSecond
    const pause = freeAt - now()
    if (pause > 0) await wait(pause, signal)
  }
}

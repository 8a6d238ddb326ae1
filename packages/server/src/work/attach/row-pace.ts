import { waitUnlessAborted } from '../../engine/repeat.ts'

/** Waits after rows so that no more than some are read in a second. Null: as many as there are. */
export function openPace(
  rowsPerSecond: number | null,
  signal: AbortSignal,
): (rows: number) => Promise<void> {
  let freeAt = performance.now()
  return async (rows) => {
    if (rowsPerSecond === null) return
    const now = performance.now()
    freeAt = Math.max(freeAt, now) + (rows * 1000) / rowsPerSecond
    await waitUnlessAborted(freeAt - now, signal)
  }
}

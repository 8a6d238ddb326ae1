import type { ReplicaStore } from '../replica/replica-store.ts'

/** Progress of `settle`. */
export type Settling = { file: string; rows: number }

export type Settled = {
  /** Files that were written or removed, by their names in the folder. */
  written: string[]
  removed: string[]
}

/** Where a pull writes the data. */
export type PullTarget = {
  /** Takes the pages. */
  store: ReplicaStore
  /**
   * Writes the rows of the store to the place where others read them. `isThorough`: also compares existing files.
   * Rejects with the signal's reason.
   */
  settle(
    signal: AbortSignal,
    onProgress: (settling: Settling) => void,
    isThorough: boolean,
  ): Promise<Settled>
  close(): Promise<void>
}

import type { ReplicaStore } from '../replica/replica-store.ts'

/** Progress of the work that follows the pages. */
export type Settling = { file: string; rows: number }

export type Settled = {
  /** Files that were written or removed, by their names in the folder. */
  written: string[]
  removed: string[]
}

/** Where a pull brings the data. */
export type PullTarget = {
  /** Takes the pages. */
  store: ReplicaStore
  /**
   * Brings the rows of the store to where others read them. `isThorough`: also compares what is there already.
   * Rejects with the signal's reason.
   */
  settle(
    signal: AbortSignal,
    onProgress: (settling: Settling) => void,
    isThorough: boolean,
  ): Promise<Settled>
  close(): Promise<void>
}

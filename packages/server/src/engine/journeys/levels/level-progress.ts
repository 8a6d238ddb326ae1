import type { LevelCheckpoint } from './level-state.ts'

/** How far the changes of one level of an object are derived. */
export type LevelProgress = {
  /** The id of the attribute. */
  readonly attribute: number
  /** A text of its sources and settings. With another one, all of its changes are derived again. */
  readonly digest: string
  /** The time of the newest row that was taken. */
  readonly upTo: number
  readonly newest: LevelCheckpoint | null
  /** Whether changes are stored that later rows may still move. */
  readonly hasOpen: boolean
}

/** Packs progress as JSON, which has each number as it is, fractions too. */
export function packLevels(levels: readonly LevelProgress[]): Uint8Array {
  return Buffer.from(JSON.stringify(levels))
}

export function unpackLevels(packed: Uint8Array): LevelProgress[] {
  return JSON.parse(Buffer.from(packed).toString())
}

/** Packs the checkpoint of a change of level. `digest`: as in `LevelProgress`. */
export function packLevelCheckpoint(checkpoint: LevelCheckpoint, digest: string): Uint8Array {
  return Buffer.from(JSON.stringify([digest, checkpoint]))
}

/** Null: it is of other sources or settings. */
export function unpackLevelCheckpoint(packed: Uint8Array, digest: string): LevelCheckpoint | null {
  const [of, checkpoint] = JSON.parse(Buffer.from(packed).toString())
  return of === digest ? checkpoint : null
}

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

/** JSON has each number as it is, fractions too. */
export function packLevel(value: LevelCheckpoint | readonly LevelProgress[]): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

export function unpackLevels(packed: Uint8Array): LevelProgress[] {
  return JSON.parse(Buffer.from(packed).toString())
}

export function unpackLevelCheckpoint(packed: Uint8Array): LevelCheckpoint {
  return JSON.parse(Buffer.from(packed).toString())
}

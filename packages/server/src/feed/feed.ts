import type { Clock } from '../domain/clock.ts'
import type { FeedLog } from './feed-log.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import type { HoldMemory } from './held-memory.ts'
import type { Ingest } from './outcome.ts'
import type { ReadingTurns } from './reading-turns.ts'

/** The record of a valid feed token. */
export type FeedToken = { organization: number; id: number }

/** The parts of the feed. */
export type Feed = {
  ingest: Ingest
  /**
   * Afterwards the changes of other processes are known, tokens included. Undefined if they are already.
   */
  catchUp(): Promise<void> | undefined
  /** `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  holdMemory: HoldMemory
  inReadingTurn: ReadingTurns
  clock: Clock
  log: FeedLog
  metrics: FeedMetrics
}

import type { Clock } from '../domain/clock.ts'
import type { FeedLog } from './feed-log.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import type { HoldMemory } from './held-memory.ts'
import type { Ingest } from './outcome.ts'
import type { ReadingTurns } from './reading-turns.ts'

/** A feed token that stands, by its record. */
export type FeedToken = { organization: number; id: number }

/** What the feed is made of. */
export type Feed = {
  ingest: Ingest
  /** What others have changed, tokens among it, is known once it is done; undefined where it is. */
  catchUp(): Promise<void> | undefined
  /** `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  holdMemory: HoldMemory
  inReadingTurn: ReadingTurns
  clock: Clock
  log: FeedLog
  metrics: FeedMetrics
}

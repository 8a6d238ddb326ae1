import type { InTurn } from '../domain/common/slots.ts'
import type { Clock } from '../domain/time/clock.ts'
import type { HoldMemory } from '../http/held-memory.ts'
import type { FeedLog } from './feed-log.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import type { Ingest } from './packet.ts'
import type { FeedDenial, FeedToken } from './token.ts'

/** The parts of the feed. */
export type Feed = {
  ingest: Ingest
  /**
   * Afterwards the changes of other processes are known, tokens included. Undefined if they are already.
   */
  catchUp(): Promise<void> | undefined
  /** `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  denialOf: FeedDenial
  holdMemory: HoldMemory
  inReadingTurn: InTurn
  clock: Clock
  log: FeedLog
  metrics: FeedMetrics
}

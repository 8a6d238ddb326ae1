import type { Clock } from '../domain/clock.ts'
import type { FeedLog } from './feed-log.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import type { Ingest } from './outcome.ts'

/** A feed token that stands, by its record. */
export type FeedToken = { organization: number; id: number }

/** What the feed is made of. */
export type Feed = {
  ingest: Ingest
  /** `now`: milliseconds since the epoch. */
  findToken(token: string, now: number): FeedToken | undefined
  clock: Clock
  log: FeedLog
  metrics: FeedMetrics
}

import type { Clock } from '../../domain/time/clock.ts'
import { drivenFixes } from './fleet-clock.ts'
import { type FeedAccess, postPositions, type Report } from './post-positions.ts'
import { VEHICLES } from './vehicles.ts'

export type Driving = {
  /** Stops driving and aborts the request under way. */
  stop(): Promise<void>
}

/** How often the vehicles report. */
const STEP_MS = 5_000
/** The longest span in one request: about 1,500 positions of the fleet, after the computer slept. */
const SPAN_MS = 10 * 60_000

/**
 * Makes the demo vehicles report to a feed every 5 seconds what they drive from `until` on (milliseconds
 * since the epoch), by a clock that is `ahead` of the system's. Unacknowledged positions are sent again
 * with the next step, and `failed` gets the reason. Does not keep the process alive.
 */
export function startDriving(
  feed: FeedAccess,
  clock: Clock,
  { until: since, ahead }: { until: number; ahead: number },
  failed: (error: unknown) => void,
): Driving {
  const stopping = new AbortController()
  const { signal } = stopping
  let acknowledged = since
  let reporting: Promise<void> | undefined

  async function report(): Promise<void> {
    for (const now = clock.now(); acknowledged < now; ) {
      const until = Math.min(now, acknowledged + SPAN_MS)
      const reports = reportsOf(acknowledged, until, ahead)
      if (reports.length > 0) await postPositions(feed, reports, signal)
      acknowledged = until
    }
  }

  async function step(): Promise<void> {
    await report().catch((error) => {
      if (!signal.aborted) failed(error)
    })
    reporting = undefined
  }

  const timer = setInterval(() => {
    reporting ??= step()
  }, STEP_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await reporting
    },
  }
}

/** The vehicles' positions after `from`, up to and including `to`. */
function reportsOf(from: number, to: number, ahead: number): Report[] {
  return VEHICLES.flatMap(({ ident }) =>
    Array.from(drivenFixes(ident, from, to, ahead), (fix) => ({ ident, fix })),
  )
}

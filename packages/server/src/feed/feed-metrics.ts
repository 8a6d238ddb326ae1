import { Counter, type Registry } from 'prom-client'
import { isFault, type Row } from './packet.ts'
import type { OutcomeCounts, RejectedRows } from './reply.ts'

export type FeedMetrics = {
  /** `format`: the format's name in the path, or `none`. */
  request(format: string, status: number): void
  rows(format: string, tally: OutcomeCounts): void
  rejected(format: string, rows: RejectedRows): void
  unread(format: string, rows: readonly Row[]): void
}

const OUTCOMES = ['stored', 'duplicate', 'conflict', 'rejected'] as const

export function openFeedMetrics(registry: Registry): FeedMetrics {
  const requests = new Counter({
    name: 'fleetgate_feed_requests_total',
    help: 'Answered requests of the feed, by format and status.',
    labelNames: ['format', 'status'],
    registers: [registry],
  })
  const rows = new Counter({
    name: 'fleetgate_feed_rows_total',
    help: 'Rows of the feed, by format and outcome.',
    labelNames: ['format', 'outcome'],
    registers: [registry],
  })
  const rejected = new Counter({
    name: 'fleetgate_feed_rejected_total',
    help: 'Rejected rows of the feed, by format and reason.',
    labelNames: ['format', 'reason'],
    registers: [registry],
  })
  const unread = new Counter({
    name: 'fleetgate_feed_unreadable_values_total',
    help: 'Values of rows that could not be read and count as unknown, by format and field.',
    labelNames: ['format', 'field'],
    registers: [registry],
  })
  // Bind labels once: looking them up by name for each request costs more than counting.
  const bound = new Map<string, { inc(by?: number): void }>()

  /** The name has no counter in it, so a status, an outcome and a reason must never have the same text. */
  function series(counter: Counter, format: string, label: string): { inc(by?: number): void } {
    const name = `${format} ${label}`
    let found = bound.get(name)
    if (found === undefined) {
      found = counter.labels(format, label)
      bound.set(name, found)
    }
    return found
  }

  return {
    request: (format, status) => series(requests, format, String(status)).inc(),
    rows(format, tally) {
      for (const outcome of OUTCOMES) {
        if (tally[outcome] > 0) series(rows, format, outcome).inc(tally[outcome])
      }
    },
    unread(format, rows) {
      for (const row of rows) {
        if (isFault(row)) continue
        if (row.unread !== undefined) {
          for (const field of row.unread) unread.labels(format, field).inc()
        }
        // A device chooses the names, and each label takes memory.
        if (row.lost !== undefined) unread.labels(format, 'attributes').inc(row.lost.length)
      }
    },
    rejected(format, { reasons }) {
      for (const [reason, count] of Object.entries(reasons)) {
        series(rejected, format, reason).inc(count)
      }
    },
  }
}

import type { IncomingMessage } from 'node:http'
import { Counter, type Registry } from 'prom-client'
import { type Denial, denialMembers } from '../../base/access/authenticate-key.ts'
import { knownName } from '../../base/domain/attributes/known-names.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { failureLog, type Logger, thinning } from '../../base/http/listener-log.ts'
import type { FeedRefusal } from './feed-refusal.ts'
import type { OutcomeCounts, RejectedRows } from './feed-reply.ts'
import { isFault, type Row } from './packet.ts'
import type { FeedToken } from './token.ts'

/** A request that was refused, or whose sender has gone (then without a refusal). */
export type FailedRequest = {
  id: string
  message: IncomingMessage
  /** The format's name in the path, or `none`. The path itself may hold a token and is never logged. */
  format: string
  token: FeedToken | undefined
  /** Why it has no valid token. */
  denial: Denial | undefined
  refusal: FeedRefusal | undefined
  durationUs: number
}

/** An answered request with rejected rows that somebody must act on. */
export type RejectingRequest = {
  id: string
  message: IncomingMessage
  format: string
  token: FeedToken
  /** Rejected rows by reason. */
  reasons: Readonly<Record<string, number>>
}

export type FeedLog = {
  failed(request: FailedRequest): void
  rejected(request: RejectingRequest): void
  /** A failure of the request with this id. */
  failure(error: unknown, id: string): void
}

/**
 * Writes a line for each failed request, and for each request with rows that were rejected through a
 * fault of the sender or the operator. Successes are only counted: a fleet sends thousands a second.
 * Lines of a sender that repeats a wrong request are thinned, for its address only.
 */
export function openFeedLog(
  logger: Logger,
  addressOf: (message: IncomingMessage) => string,
  clock: Clock,
): FeedLog {
  const isThinnedOut = thinning(clock)

  return {
    failed(request) {
      const address = addressOf(request.message)
      if (!isThinnedOut(address)) logger.line(membersOf(request, address))
    },
    rejected({ id, message, format, token, reasons }) {
      const address = addressOf(message)
      if (isThinnedOut(address)) return
      logger.line(
        `${ofToken(token)}"feed":"${format}","rejected":${JSON.stringify(reasons)},"address":${JSON.stringify(address)},` +
          `"request_id":"${id}","msg":"feed rows rejected"`,
      )
    },
    failure: failureLog(logger),
  }
}

/** A token of the deployment has no organization. */
function ofToken({ organization, id }: FeedToken): string {
  return `"organization":${organization === DEPLOYMENT ? null : organization},"token":${id},`
}

/** The message may repeat the sender's input. As JSON text it stays on its line. */
function membersOf(request: FailedRequest, address: string): string {
  const { token, denial, refusal, message } = request
  return (
    (token === undefined ? '' : ofToken(token)) +
    `"method":${JSON.stringify(message.method)},"feed":"${request.format}",` +
    (refusal === undefined
      ? '"aborted":true'
      : `"status":${refusal.status},"code":"${refusal.errorCode}"` +
        `,${denial === undefined ? `"reason":${JSON.stringify(refusal.message)}` : denialMembers(denial)}`) +
    `,"ms":${request.durationUs / 1000},"address":${JSON.stringify(address)}` +
    `,"request_id":"${request.id}","msg":"feed request"`
  )
}

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
  const dropped = new Counter({
    name: 'fleetgate_feed_dropped_attributes_total',
    help: 'Attributes that were not stored because of a limit on names, by format, limit and known name.',
    labelNames: ['format', 'limit', 'name'],
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
        for (const [limit, names] of Object.entries(row.dropped ?? {})) {
          for (const name of names) dropped.labels(format, limit, knownName(name) ?? 'other').inc()
        }
      }
    },
    rejected(format, { reasons }) {
      for (const [reason, count] of Object.entries(reasons)) {
        series(rejected, format, reason).inc(count)
      }
    },
  }
}

import { toJson } from '../../base/domain/common/json.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { REJECT_REASONS } from '../../engine/tracking/rules/judge.ts'
import type { Format } from './formats/format.ts'
import { isFault, type Rejected, type Row, type RowOutcome, unreadIn } from './packet.ts'
import { type FeedRefusal, rowDeferred, rowRefused } from './refusal.ts'

/** An HTTP answer. `headers`: name, value, name, value. */
export type FeedReply = { status: number; headers: string[]; body: string }

const JSON_TYPE = 'application/json; charset=utf-8'
/** A GET also reports a packet: a cache on the way would swallow the next one. */
const COMMON = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const

/** The number of rows by outcome. */
export type OutcomeCounts = {
  stored: number
  duplicate: number
  conflict: number
  rejected: number
}

export function tallyOf(outcomes: readonly RowOutcome[]): OutcomeCounts {
  const tally: OutcomeCounts = { stored: 0, duplicate: 0, conflict: 0, rejected: 0 }
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') tally[outcome] += 1
    else tally.rejected += 1
  }
  return tally
}

/** The rejected rows of a request, by reason. */
export type RejectedRows = {
  reasons: Readonly<Record<string, number>>
  /** Whether a sender or an operator must act on one of them. */
  isWrong: boolean
}

export function rejectedRows(outcomes: readonly RowOutcome[]): RejectedRows {
  const reasons: Record<string, number> = {}
  let isWrong = false
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') continue
    reasons[outcome.reason] = (reasons[outcome.reason] ?? 0) + 1
    isWrong ||= outcome.resend === 'never' || outcome.resend === 'later'
  }
  return { reasons, isWrong }
}

/** The refusal body of the public API, with the feed's codes. */
export function refusalReply(refusal: FeedRefusal, now: number): FeedReply {
  const headers = ['Content-Type', JSON_TYPE, ...COMMON]
  for (const [name, value] of Object.entries(refusal.headers ?? {})) headers.push(name, value)
  const body = toJson({
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: refusal.message,
    timestamp: formatInstant(now),
  })
  return { status: refusal.status, headers, body }
}

/**
 * The reply to a sender. Fleetgate's own format lists each rejected row. Other formats have only a
 * status, and their senders repeat everything without a 2xx, some of them forever.
 *
 * So 400 means that nothing in the request can ever be accepted, because it is malformed or its ident is
 * unknown: somebody must correct the sender. A fix that was refused for its quality (`hdop`, `no_fix`,
 * too old) was still received and noted: 200. If a part can be accepted later, the whole request must be
 * sent again: 429. A fix that waits for an operator was not stored, and the sender must not repeat it: 202. Traccar
 * has room for 100 positions to be repeated, and loses those of all its devices once that is full.
 */
export function outcomeReply(
  format: Format,
  rows: readonly Row[],
  outcomes: readonly RowOutcome[],
  tally: OutcomeCounts,
): FeedReply | FeedRefusal {
  if (format.answer === 'rows') return rowsReply(rows, outcomes, tally)
  const deferred = outcomes.find((outcome) => isRejected(outcome, 'later'))
  if (deferred !== undefined) return rowDeferred(deferred as Rejected)
  const waiting = outcomes.find((outcome) => isRejected(outcome, 'waiting'))
  if (waiting !== undefined) return waitingReply(waiting as Rejected)
  if (outcomes.length > 0 && outcomes.every((outcome) => isRejected(outcome, 'never'))) {
    return rowRefused(outcomes[0] as Rejected)
  }
  if (format.answer === null) return { status: 200, headers: [...COMMON], body: '' }
  const { type, body } = format.answer
  return { status: 200, headers: ['Content-Type', type, ...COMMON], body }
}

function isRejected(outcome: RowOutcome, resend: Rejected['resend']): boolean {
  return typeof outcome === 'object' && outcome.resend === resend
}

function waitingReply({ reason, message }: Rejected): FeedReply {
  const body = toJson({ statusCode: 202, message: `${reason}: ${message}` })
  return { status: 202, headers: ['Content-Type', JSON_TYPE, ...COMMON], body }
}

function rowsReply(
  rows: readonly Row[],
  outcomes: readonly RowOutcome[],
  tally: OutcomeCounts,
): FeedReply {
  const rejects: object[] = []
  const unread: object[] = []
  for (let index = 0; index < outcomes.length; index += 1) {
    const outcome = outcomes[index]!
    const row = rows[index]!
    if (typeof outcome !== 'string') {
      const { reason, message } = outcome
      rejects.push({ index, ident: row.ident, reason, message })
    } else if (!isFault(row)) {
      const fields = unreadIn(row)
      if (fields !== undefined) unread.push({ index, ident: row.ident, fields })
      for (const [limit, names] of Object.entries(row.dropped ?? {})) {
        const message = REJECT_REASONS[limit]
        unread.push({ index, ident: row.ident, fields: names, message })
      }
    }
  }
  const all = unread.length === 0 ? { ...tally, rejects } : { ...tally, rejects, unread }
  const body = toJson({ statusCode: 200, result: all })
  return { status: 200, headers: ['Content-Type', JSON_TYPE, ...COMMON], body }
}

import { toJson } from '../../base/domain/common/plain-json.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { type FeedRefusal, rowDeferred, rowRefused } from './feed-refusal.ts'
import type { Rejected, Row, RowOutcome } from './packet.ts'

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

/** The reply to a sender for the rows of its request. */
export type Answer = (
  rows: readonly Row[],
  outcomes: readonly RowOutcome[],
  tally: OutcomeCounts,
) => FeedReply | FeedRefusal

/**
 * The replies of a format whose senders look at the status alone, and repeat everything without a 2xx, some of them
 * forever.
 */
type StatusReplies = {
  /** All rows are stored, already known, or were refused for the quality of their fixes and noted. */
  taken: FeedReply
  /** A part can be accepted later, so the whole request must be sent again. */
  later(row: Rejected): FeedReply | FeedRefusal
  /** A fix waits for an operator. It was not stored, and the sender must not repeat it. */
  waiting(row: Rejected): FeedReply | FeedRefusal
  /**
   * Nothing in the request can ever be accepted, because it is malformed or its ident is unknown: somebody must correct
   * the sender.
   */
  never(row: Rejected): FeedReply | FeedRefusal
}

/**
 * An empty 200, 429, 202 and 400. 202, because Traccar has room for 100 positions to be repeated, and loses those of
 * all its devices once that is full.
 */
export const STATUS_REPLIES: StatusReplies = {
  taken: { status: 200, headers: [...COMMON], body: '' },
  later: rowDeferred,
  waiting: ({ reason, message }) =>
    jsonReply(202, { statusCode: 202, message: `${reason}: ${message}` }),
  never: rowRefused,
}

/** One reply for all rows of a request, by what their sender has to do. */
export function answerByStatus(replies: StatusReplies): Answer {
  return (_rows, outcomes) => {
    const rejected = outcomes.filter((outcome) => typeof outcome === 'object')
    const find = (resend: Rejected['resend']) => rejected.find((each) => each.resend === resend)
    const later = find('later')
    if (later !== undefined) return replies.later(later)
    const waiting = find('waiting')
    if (waiting !== undefined) return replies.waiting(waiting)
    const isHopeless = outcomes.length > 0 && rejected.length === outcomes.length
    if (isHopeless && rejected.every(({ resend }) => resend === 'never')) {
      return replies.never(rejected[0]!)
    }
    return replies.taken
  }
}

/** `type`: the media type that a sender expects. */
export function jsonReply(status: number, body: unknown, type = JSON_TYPE): FeedReply {
  return { status, headers: ['Content-Type', type, ...COMMON], body: toJson(body) }
}

import { formatInstant } from '../domain/time.ts'
import type { Format } from './formats/format.ts'
import type { Rejected, RowOutcome } from './outcome.ts'
import type { Row } from './packet.ts'
import { type FeedRefusal, rowDeferred, rowRefused } from './refusal.ts'

/** An answer in the terms of HTTP. `headers`: as name, value, name, value. */
export type Reply = { status: number; headers: string[]; body: string }

const JSON_TYPE = 'application/json; charset=utf-8'
/** An answer to a GET, too, tells of one packet alone: a cache on the way would swallow the next. */
const COMMON = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const

/** How many rows became what. */
export type Tally = { stored: number; duplicate: number; conflict: number; rejected: number }

export function tallyOf(outcomes: readonly RowOutcome[]): Tally {
  const tally: Tally = { stored: 0, duplicate: 0, conflict: 0, rejected: 0 }
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') tally[outcome] += 1
    else tally.rejected += 1
  }
  return tally
}

/** The rejected rows of a request, by reason. */
export type RejectedRows = {
  reasons: Readonly<Record<string, number>>
  /** Whether a sender or an operator has to do something about one of them. */
  isWrong: boolean
}

export function rejectedRows(outcomes: readonly RowOutcome[]): RejectedRows {
  const reasons: Record<string, number> = {}
  let isWrong = false
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') continue
    reasons[outcome.reason] = (reasons[outcome.reason] ?? 0) + 1
    isWrong ||= outcome.resend !== 'needless'
  }
  return { reasons, isWrong }
}

/** The refusal body of the public API, with the feed's codes. */
export function refusalReply(refusal: FeedRefusal, now: number): Reply {
  const headers = ['Content-Type', JSON_TYPE, ...COMMON]
  for (const [name, value] of Object.entries(refusal.headers ?? {})) headers.push(name, value)
  const body = JSON.stringify({
    statusCode: refusal.status,
    errorCode: refusal.errorCode,
    message: refusal.message,
    timestamp: formatInstant(now),
  })
  return { status: refusal.status, headers, body }
}

/**
 * What the sender is told of its rows. Fleetgate's own format tells of each rejected one; of the
 * others a status has to do, and their senders repeat what is not answered with 2xx, some of them
 * for ever. So 400 is kept for a request of which nothing can ever be taken, because it is wrong or
 * its ident is not known: there somebody has to put the sender right. A fix that was refused for
 * its quality (`hdop`, `no_fix`, too old) was received and noted all the same: 200. Where something of it
 * can be taken later, all of it is to be sent again: 429.
 */
export function outcomeReply(
  format: Format,
  rows: readonly Row[],
  outcomes: readonly RowOutcome[],
  tally: Tally,
): Reply | FeedRefusal {
  if (format.answer === 'rows') return rowsReply(rows, outcomes, tally)
  const deferred = outcomes.find((outcome) => isRejected(outcome, 'later'))
  if (deferred !== undefined) return rowDeferred(deferred as Rejected)
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

function rowsReply(rows: readonly Row[], outcomes: readonly RowOutcome[], tally: Tally): Reply {
  const rejects: object[] = []
  if (tally.rejected > 0) {
    for (let index = 0; index < outcomes.length; index += 1) {
      const outcome = outcomes[index]!
      if (typeof outcome === 'string') continue
      const { reason, message } = outcome
      rejects.push({ index, ident: rows[index]!.ident, reason, message })
    }
  }
  const body = JSON.stringify({ statusCode: 200, result: { ...tally, rejects } })
  return { status: 200, headers: ['Content-Type', JSON_TYPE, ...COMMON], body }
}

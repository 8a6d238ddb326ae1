import type { ErrorBody } from './types.ts'

/** What the server says when it does not do what it was asked. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | null
  /** Seconds after which it is worth another try; null where the server does not tell. */
  readonly retryAfter: number | null

  constructor(status: number, body: ErrorBody, retryAfter: number | null) {
    super(body.message)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.field = body.field
    this.retryAfter = retryAfter
  }
}

/** No answer came at all. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server does not answer.', { cause })
    this.name = 'Unreachable'
  }
}

/** Whether the same request may well be answered a little later. */
export function passes(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status === 503)
}

import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import type { ErrorBody } from './types.ts'

/** An error answer of the server. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | null

  constructor(status: number, body: ErrorBody) {
    super(said(body.message))
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.field = body.field
  }
}

/** No answer came. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super(t('The server does not respond.'), { cause })
    this.name = 'Unreachable'
  }
}

/** The server, or a proxy in front of it, cannot answer now. */
const PASSING_STATUSES = [502, 503, 504]

/** Whether the same request may succeed a little later. */
export function passes(error: unknown): boolean {
  return (
    error instanceof Unreachable ||
    (error instanceof ApiError && PASSING_STATUSES.includes(error.status))
  )
}

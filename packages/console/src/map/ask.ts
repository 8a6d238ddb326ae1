import type { ErrorBody } from '../api/types.ts'

/** An answer that says no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, { code, message }: Pick<ErrorBody, 'code' | 'message'>) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Reads what the admin API has under a path. */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`/admin/v1${path}`, {
    headers: { accept: 'application/json' },
    ...(signal === undefined ? {} : { signal }),
  })
  if (response.ok) return (await response.json()) as Answer
  const body = (await response.json().catch(() => null)) as ErrorBody | null
  throw new Refused(
    response.status,
    body ?? { code: 'unavailable', message: `The server answered ${response.status}.` },
  )
}

/** What to tell of something that went wrong. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refused) {
    return error.code === 'signed_out' ? 'You are signed out: sign in again.' : error.message
  }
  return 'The server cannot be reached. Look whether it runs, then try again.'
}

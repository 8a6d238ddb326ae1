import { resultIn } from '../body.ts'
import { type Answer, type Ask, ask, type Connection, EVENTS } from '../connection.ts'
import { CursorExpiredError, errorOf, UnexpectedAnswerError } from '../errors.ts'
import type { Changes, ErrorBody } from '../types.ts'
import { BrokenPagesError } from './broken-pages.ts'
import { WAIT_SECONDS } from './changes-options.ts'
import { readEvents } from './event-parser.ts'

/** The server sends something every 15 seconds. */
const QUIET_MS = 30_000

/** Reads the next page. The server may hold the request. */
export function readPage(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Changes> {
  const timeoutMs = connection.timeoutMs + WAIT_SECONDS * 1_000
  const request: Ask = { path, signal, isRepeatable: true, isPublic: false, timeoutMs }
  return ask(connection, request, pageIn)
}

/** `retryMs`: the time after which to ask the server again, if it gave one. */
export type StreamedPage = { page: Changes; retryMs: number | undefined }

/**
 * Opens a stream and reads its pages. Rejects with a `CursorExpiredError`, with the error of an answer that
 * refuses the stream, and with a `BrokenPagesError` when the stream ends in any other way.
 */
export async function* streamPages(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedPage, void, undefined> {
  const timeoutMs = Math.max(connection.timeoutMs, QUIET_MS)
  const kind = { isRepeatable: true, isPublic: false, timeoutMs, accept: EVENTS }
  const answer = await ask(connection, { path, signal, ...kind }, async (begun) => begun)
  try {
    yield* pagesIn(path, answer)
  } catch (cause) {
    if (cause instanceof CursorExpiredError) throw cause
    throw new BrokenPagesError(
      `the stream of changes was interrupted: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
  throw new BrokenPagesError('the stream of changes has ended')
}

async function* pagesIn(path: string, answer: Answer): AsyncGenerator<StreamedPage> {
  if (answer.headers.get('content-type')?.startsWith(EVENTS) !== true) {
    // A proxy has dropped the `Accept` header that asks for a stream.
    yield { page: await pageIn(answer), retryMs: undefined }
    return
  }
  for await (const { event, data, retryMs } of readEvents(answer.bytes)) {
    if (event === 'message') yield { page: checkedPage(parsed(data)), retryMs }
    else if (event === 'resync' || event === 'error') throw errorIn(path, parsed(data))
  }
}

async function pageIn({ bytes }: Answer): Promise<Changes> {
  return checkedPage(await resultIn<unknown>(bytes))
}

function checkedPage(value: unknown): Changes {
  const { as_of, changes, cursor, has_more } = (value ?? {}) as Partial<Changes>
  const isPage =
    Array.isArray(changes) &&
    typeof cursor === 'string' &&
    typeof as_of === 'number' &&
    typeof has_more === 'boolean'
  if (!isPage) throw new UnexpectedAnswerError()
  return value as Changes
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw new UnexpectedAnswerError()
  }
}

/** The error that a stream ends with. It has no headers. */
function errorIn(path: string, body: unknown): Error {
  const { statusCode, ...rest } = (body ?? {}) as Partial<ErrorBody>
  if (typeof statusCode !== 'number') throw new UnexpectedAnswerError()
  const none = { requestId: undefined, quota: undefined, exhausted: [], retryAfterMs: undefined }
  return errorOf({ path, status: statusCode, ...none }, rest)
}

import { t } from '../language/text.ts'
import { ApiError, Unreachable } from './error.ts'
import { parse } from './parse.ts'
import { PREFIX } from './prefix.ts'
import type { ErrorBody, ImportLine, ImportSummary } from './types.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Called for every answer that says that the session is over. */
let onSignedOut: () => void = () => {}

export function whenSignedOut(tell: () => void): void {
  onSignedOut = tell
}

export function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return send<Answer>('GET', path, signal === undefined ? {} : { signal })
}

export function change<Answer = void>(
  method: Exclude<Method, 'GET'>,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const init: RequestInit = {}
  if (signal !== undefined) init.signal = signal
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'content-type': 'application/json' }
  }
  return send<Answer>(method, path, init)
}

/** A file is sent as the body, not as a form. */
export function upload<Answer>(
  path: string,
  file: Blob,
  type: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const headers = { 'content-type': type }
  return send<Answer>('POST', path, { body: file, headers, ...(signal && { signal }) })
}

/** Imports a file and reads the lines of progress before its summary. */
export async function importFile(
  path: string,
  file: File,
  type: string,
  onProgress: (progress: NonNullable<ImportLine['progress']>) => void,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const headers = { 'content-type': type, accept: 'application/x-ndjson' }
  const response = await answered('POST', path, { body: file, headers, signal })
  for await (const line of linesOf(response)) {
    const { progress, summary, error } = parse<ImportLine>(line)
    if (progress !== undefined) onProgress(progress)
    if (error !== undefined) throw refused(new ApiError(500, error))
    if (summary !== undefined) return summary
  }
  throw new Unreachable(t('the response ended before the import summary'))
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

async function send<Answer>(method: Method, path: string, init: RequestInit): Promise<Answer> {
  const response = await answered(method, path, init)
  const text = await response.text()
  return text === '' ? (undefined as Answer) : parse<Answer>(text)
}

/** The answer, if it is not an error. */
async function answered(method: Method, path: string, init: RequestInit): Promise<Response> {
  const response = await answerOf(method, path, init)
  if (!response.ok) throw refused(await errorOf(response))
  return response
}

function refused(error: ApiError): ApiError {
  if (error.code === 'signed_out') onSignedOut()
  return error
}

async function answerOf(method: Method, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(PREFIX + path, { ...init, method, credentials: 'same-origin' })
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new Unreachable(cause)
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    return new ApiError(response.status, parse<ErrorBody>(await response.text()))
  } catch {
    // A proxy in between may answer with an HTML page.
    const message = t('The server returned {{status}} {{statusText}}.', {
      status: response.status,
      statusText: response.statusText,
    })
    return new ApiError(response.status, { code: 'unknown', message, field: null })
  }
}

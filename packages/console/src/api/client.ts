import { ApiError, Unreachable } from './error.ts'
import { parse } from './parse.ts'
import type { ErrorBody } from './types.ts'

export const PREFIX = '/admin/v1'

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
export function upload<Answer>(path: string, file: File, type: string): Promise<Answer> {
  return send<Answer>('POST', path, { body: file, headers: { 'content-type': type } })
}

async function send<Answer>(method: Method, path: string, init: RequestInit): Promise<Answer> {
  const response = await answerOf(method, path, init)
  if (!response.ok) {
    const error = await errorOf(response)
    if (error.status === 401 && error.code === 'signed_out') onSignedOut()
    throw error
  }
  const text = await response.text()
  return text === '' ? (undefined as Answer) : parse<Answer>(text)
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
    const message = `The answer was ${response.status} ${response.statusText}.`
    return new ApiError(response.status, { code: 'unknown', message, field: null })
  }
}

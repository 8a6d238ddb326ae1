import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { HttpAnswer } from './answers.ts'
import { contentsOf } from './contents.ts'
import type { Json } from './description.ts'
import type { Expectation } from './expectation.ts'
import type { FuzzRequest } from './requests.ts'
import { type AnswerRules, headerFault, type Rules } from './schemas.ts'

/** The fault of an answer, by its kind and in detail. */
export type Fault = { kind: FaultKind; detail: string }
export type FaultKind =
  | 'a 5xx'
  | 'another outcome than the contract’s'
  | 'a body against the description'
  | 'a header against the description'
  | 'other contents than were asked for'

/** The properties of the caller that affect an answer. */
export type Audience = { language: string }

export type Judge = (
  request: FuzzRequest,
  expectation: Expectation,
  answer: HttpAnswer,
  audience: Audience,
) => Fault | undefined

const JSON_TYPE = 'application/json; charset=utf-8'
const LANGUAGES = ['en', 'tr', 'de', 'es', 'fr', 'pt', 'ru', 'ar']
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Matches a time in a body that does not have the documented form. */
const TIMES = /"(?:time_\w+|\w+_at)":(?!null[,}]|"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")/
const TIMESTAMP = /"timestamp":"([^"]*)"\}$/
const CLOCK_MS = 60_000
const MAX_KNOWN = 100_000

/** The findings about a body, cached for its next occurrence. */
type Seen = { fault: string | undefined; code: string; contents: string | undefined }

/** Judges answers by the description, and by the answers that the contract allows for the request. */
export function openJudge(rules: Rules): Judge {
  const seen = new Map<string, Seen>()

  function look(operation: string, status: number, text: string, of: AnswerRules): Seen {
    const stamp = status >= 400 ? TIMESTAMP.exec(text) : null
    if (status >= 400 && !isNow(stamp?.[1])) return unsound(`timestamp of ${text.slice(-80)}`)
    const key = `${operation} ${status} ${stamp === null ? text : text.slice(0, stamp.index)}`
    const known = seen.get(key)
    if (known !== undefined) return known
    if (seen.size >= MAX_KNOWN) seen.clear()
    const fresh = inspect(operation, status, text, of)
    seen.set(key, fresh)
    return fresh
  }

  return (request, expectation, answer, audience) => {
    const { status } = answer
    const { operation } = expectation
    if (status >= 500) return { kind: 'a 5xx', detail: describe(answer) }
    const wanted = expectation.outcomes.join(' or ')
    const outcome = (detail: string): Fault => ({
      kind: 'another outcome than the contract’s',
      detail: `${detail} instead of ${wanted}`,
    })
    const hasStatus = expectation.outcomes.some((each) => each.startsWith(`${status}`))
    if (!hasStatus) return outcome(describe(answer))
    if (operation === 'documentation') return undefined
    const of = rules(operation, status)
    if (of === undefined) return outcome(`${status}, which is not described`)
    const header =
      headerFault(of, answer.headers) ?? ownHeaderFault(request, answer, expectation, audience)
    if (header !== undefined) return { kind: 'a header against the description', detail: header }
    if (of.body === undefined || request.method === 'HEAD') return undefined
    if (status === 200 && !isJson(answer)) return undefined
    const text = decoded(answer)
    const found =
      text === undefined ? unsound('no UTF-8, or in no coding') : look(operation, status, text, of)
    if (found.fault !== undefined)
      return {
        kind: 'a body against the description',
        detail: `${found.fault} in ${text?.slice(0, 600)}`,
      }
    const actual = status === 200 ? '200' : `${status} ${found.code}`
    if (!expectation.outcomes.includes(actual)) return outcome(actual)
    if (
      status === 200 &&
      expectation.contents !== undefined &&
      found.contents !== expectation.contents
    ) {
      return {
        kind: 'other contents than were asked for',
        detail: `${found.contents} instead of ${expectation.contents}`,
      }
    }
    return undefined
  }
}

function inspect(operation: string, status: number, text: string, { body }: AnswerRules): Seen {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (error) {
    return unsound(`${error}`)
  }
  if (body !== undefined && !body(value)) return unsound(JSON.stringify(body?.errors?.[0]))
  if (value.statusCode !== status) return unsound(`statusCode ${value.statusCode} of ${status}`)
  if (status >= 400) return { fault: undefined, code: value.errorCode, contents: undefined }
  const time = TIMES.exec(text)
  if (time !== null) return unsound(`time ${text.slice(time.index, time.index + 60)}`)
  return { fault: undefined, code: '', contents: contentsOf(operation, value.result) }
}

/** Other formats are compared with JSON by the suite. */
function isJson({ headers }: HttpAnswer): boolean {
  return headers.get('content-type')?.join().startsWith('application/json') ?? false
}

function unsound(fault: string): Seen {
  return { fault, code: '', contents: undefined }
}

function isNow(timestamp: string | undefined): boolean {
  if (timestamp === undefined || !INSTANT.test(timestamp)) return false
  return Math.abs(Date.now() - Date.parse(timestamp)) < CLOCK_MS
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded({ headers, body }: HttpAnswer): string | undefined {
  try {
    return utf8.decode(uncompressed(body, headers.get('content-encoding')?.join()))
  } catch {
    return undefined
  }
}

function uncompressed(body: Buffer, coding: string | undefined): Buffer {
  switch (coding) {
    case undefined:
      return body
    case 'gzip':
      return gunzipSync(body)
    case 'br':
      return brotliDecompressSync(body)
    case 'zstd':
      return zstdDecompressSync(body)
    default:
      throw new Error(coding)
  }
}

/** Checks headers beyond the rules of the description. */
function ownHeaderFault(
  request: FuzzRequest,
  { status, headers }: HttpAnswer,
  { operation, isCounted, isLastPage, isClosing }: Expectation,
  { language }: Audience,
): string | undefined {
  const one = (name: string) => headers.get(name)?.join(', ')
  const sent = (name: string) =>
    request.headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  const type = one('content-type')
  if (status !== 304 && type !== JSON_TYPE) return `content-type is ${type}`
  const coding = one('content-encoding')
  const accepted = sent('accept-encoding').join().toLowerCase()
  if (coding !== undefined && !accepted.includes(coding) && !accepted.includes('*')) {
    return `content-encoding is ${coding}, and accepted was ${accepted}`
  }
  const isLimited = headers.has('x-ratelimit-remaining')
  if (isLimited !== isCounted) return `the rate headers are ${isLimited ? '' : 'not '}there`
  const remaining = Number(one('x-ratelimit-remaining') ?? 0)
  if (!(remaining >= 0 && remaining < 10)) return `${remaining} requests remain`
  if (status === 429 && !(Number(one('retry-after')) >= 1)) return 'retry-after is less than 1'
  if (status === 405 && one('allow') !== 'GET, HEAD') return `allow is ${one('allow')}`
  const hasNext = headers.has('link')
  if (status === 200 && isLastPage !== undefined && hasNext === isLastPage) {
    return `a link is ${hasNext ? '' : 'not '}there`
  }
  const isEnding = /\bclose\b/i.test(one('connection') ?? '')
  if (isEnding !== isClosing) return `connection is ${one('connection')}`
  if (status < 400) return undefined
  const spoken = one('content-language') ?? ''
  const expected = isCounted ? language : 'en'
  const isFree = sent('accept-language').length > 0
  if (!(isFree ? LANGUAGES.includes(spoken) : spoken === expected)) {
    return `content-language of ${operation} is ${spoken}, not ${expected}`
  }
  return undefined
}

function describe({ status, body }: HttpAnswer): string {
  return `${status} ${body.toString('latin1', 0, 300)}`
}

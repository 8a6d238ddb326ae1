import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answering, type Refused, refuse } from '../answering-server.fixture.ts'
import type { Changes } from '../types.ts'

/** The number of pages of the server. Page number n has the cursor `c<n>`. */
export const PAGES = 6

export function pageNumber(number: number): Changes {
  const change = { type: 'object', op: 'delete', id: number, seq: number } as const
  const facts = { as_of: PAGES, distance_unit: 'km', snapshot: number === 1 } as const
  return { ...facts, changes: [change], cursor: `c${number}`, has_more: number < PAGES }
}

/** The empty page after the last one. */
const NOTHING: Changes = { ...pageNumber(PAGES), changes: [] }

export function eventOf(page: Changes): string {
  return `id: ${page.cursor}\ndata: ${JSON.stringify(page)}\n\n`
}

export type Wanted = {
  /** The numbers of the pages after the cursor of the request. */
  numbers: number[]
  isStream: boolean
  query: URLSearchParams
}

export function wantedBy({ url, headers }: IncomingMessage): Wanted {
  const query = new URL(url!, 'http://x').searchParams
  const after = Number(query.get('cursor')?.slice(1) ?? 0)
  const numbers = Array.from({ length: PAGES - after }, (_, index) => after + index + 1)
  return { numbers, isStream: headers.accept === 'text/event-stream', query }
}

/** Answers as the server does. A stream stays open. */
export function answerCorrectly(response: ServerResponse, { numbers, isStream }: Wanted): void {
  if (isStream) {
    beginStream(response)
    response.write(numbers.map((number) => eventOf(pageNumber(number))).join(''))
    return
  }
  const result = numbers[0] === undefined ? NOTHING : pageNumber(numbers[0])
  response.end(JSON.stringify({ statusCode: 200, result }))
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write('retry: 2000\n\n: comment\n\n')
}

export type Fault = (response: ServerResponse, wanted: Wanted) => void

/** Answers the first requests with faults, and the others correctly. */
export function faulty(...faults: Fault[]): Answering {
  return (response, asked, message) => {
    const fault = faults[asked - 1] ?? answerCorrectly
    fault(response, wantedBy(message))
  }
}

export function refusal(...refused: Refused): Fault {
  return (response) => refuse(response, ...refused)
}

/** A stream that sends some pages, and then this text. If `isCut`, the connection breaks after the text. */
export function streamOf(pages: number, text: string, isCut: boolean): Fault {
  return (response, { numbers }) => {
    beginStream(response)
    const events = numbers.slice(0, pages).map((number) => eventOf(pageNumber(number)))
    const sent = events.join('') + text
    response.write(sent, () => (isCut ? setImmediate(() => response.destroy()) : response.end()))
  }
}

/** An event with the body of a refusal. */
export function lastEvent(
  event: 'resync' | 'error',
  statusCode: number,
  errorCode: string,
): string {
  const body = { statusCode, errorCode, message: 'refused', timestamp: 'now' }
  return `id\nevent: ${event}\ndata: ${JSON.stringify(body)}\n\n`
}

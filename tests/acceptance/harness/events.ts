import { Agent, get, type IncomingMessage } from 'node:http'
import { ADMIN, assertValid, type Console } from './admin.ts'
import type { Json } from './fleetgate.ts'

/** `id`: undefined for an event without one. */
export type ServerEvent = { event: string; id: string | undefined; data: Json }

/** A stream of server-sent events, as a browser reads it. */
export type Events = {
  /** Waits for the next event. Null at the end of the stream. */
  next(): Promise<ServerEvent | null>
  /** Skips to the first event that matches. */
  until(isIt: (event: ServerEvent) => boolean): Promise<ServerEvent>
  close(): void
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const PATIENCE_MS = 15_000
/** The end of a block of a stream. */
const END = '\n\n'

/** Watches an organization's objects. Each event is checked against the description. */
export async function watch(
  { origin, operator: { headers } }: Pick<Console, 'origin' | 'operator'>,
  organization: number,
): Promise<Events> {
  const events = await openEvents(`${origin()}${ADMIN}/organizations/${organization}/live`, headers)
  if ('status' in events) throw new Error(`${events.status} of the live stream`)
  return events
}

/** Opens a stream. Returns the status of an answer that refuses it. `patienceMs`: how long an event may take. */
export async function openEvents(
  url: string,
  headers: Record<string, string>,
  patienceMs = PATIENCE_MS,
): Promise<Events | { status: number; retryAfter: string | undefined }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent }, resolve).on('error', reject)
  })
  if (answer.statusCode !== 200) {
    answer.resume()
    return { status: answer.statusCode!, retryAfter: answer.headers['retry-after'] }
  }
  const events = eventsIn(answer)

  async function next(): Promise<ServerEvent | null> {
    const timer = setTimeout(() => answer.destroy(new Error('nothing came')), patienceMs)
    try {
      const { done, value } = await events.next()
      return done === true ? null : value
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    next,
    async until(isIt) {
      for (;;) {
        const event = await next()
        if (event === null) throw new Error('the stream ended before')
        if (isIt(event)) return event
      }
    },
    close: () => answer.destroy(),
  }
}

async function* eventsIn(answer: IncomingMessage): AsyncGenerator<ServerEvent, void> {
  for await (const block of blocksIn(answer)) {
    const event = read(block)
    if (event !== undefined) yield event
  }
}

/** The blocks of a stream, as they come. Returns the part of one at the end. */
export async function* blocksIn(answer: IncomingMessage): AsyncGenerator<string, string> {
  let pieces: string[] = []
  let last = ''
  answer.setEncoding('utf8')
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      const hasEnd = (last + piece).includes(END)
      last = piece.at(-1)
      if (!hasEnd) continue
      const blocks = pieces.join('').split(END)
      pieces = [blocks.pop()!]
      yield* blocks
    }
  } catch (error) {
    // A server that stops resets its streams.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
  return pieces.join('')
}

/** Undefined for a comment and for a block that only sets the retry delay. */
function read(block: string): ServerEvent | undefined {
  const fields = new Map(
    block
      .split('\n')
      .map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()]),
  )
  const text = fields.get('data')
  if (text === undefined) return undefined
  const event = fields.get('event') ?? 'message'
  const data = JSON.parse(text)
  if (event === 'objects') assertValid('#/components/schemas/LiveObjects', data, event)
  return { event, id: fields.get('id'), data }
}

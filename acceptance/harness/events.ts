import { Agent, get, type IncomingMessage } from 'node:http'
import { ADMIN, assertValid, type Console } from './admin.ts'
import type { Json } from './fleetgate.ts'

export type ServerEvent = { event: string; data: Json }

/** A stream of server-sent events, as a browser reads it. */
export type Events = {
  /** The next event that has not been taken; waits for it. Null where the stream has ended. */
  next(): Promise<ServerEvent | null>
  /** The first from here on that this says is it. */
  until(isIt: (event: ServerEvent) => boolean): Promise<ServerEvent>
  close(): void
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const PATIENCE_MS = 15_000

/** Watches an organization's objects. Each event is checked against the description. */
export async function watch(
  { origin, operator: { headers } }: Pick<Console, 'origin' | 'operator'>,
  organization: number,
): Promise<Events> {
  const url = `${origin()}${ADMIN}/organizations/${organization}/live`
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent }, resolve).on('error', reject)
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} of ${url}`)
  const events = eventsIn(answer)

  async function next(): Promise<ServerEvent | null> {
    const timer = setTimeout(() => answer.destroy(new Error('nothing came')), PATIENCE_MS)
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
  let text = ''
  answer.setEncoding('utf8')
  try {
    for await (const chunk of answer) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const event = read(block)
        if (event !== undefined) yield event
      }
    }
  } catch (error) {
    // A server that ends cuts its streams off.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
  }
}

/** Nothing of a comment, and of what only says when to come again. */
function read(block: string): ServerEvent | undefined {
  const fields = new Map(
    block
      .split('\n')
      .map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()]),
  )
  const event = fields.get('event')
  if (event === undefined) return undefined
  const data = JSON.parse(fields.get('data')!)
  if (event === 'objects') assertValid('#/components/schemas/LiveObjects', data, event)
  return { event, data }
}

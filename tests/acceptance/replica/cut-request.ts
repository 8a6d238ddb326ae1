import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Random } from '../../../packages/server/testing/random.ts'
import type { Answer } from '../harness/client.ts'

type Target = { url: string; headers: Record<string, string> }

/** A request whose answer may come much later. Undefined if it was cut before, or its server stopped. */
export type Held = {
  answer: Promise<Pick<Answer, 'status' | 'json' | 'text'> | undefined>
  cut(): void
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

export function held({ url, headers }: Target): Held {
  const aborting = new AbortController()
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent, signal: aborting.signal }, resolve).on('error', reject)
  })
  const read = async () => {
    const message = await answered
    const body = await text(message)
    return { status: message.statusCode!, text: body, json: JSON.parse(body) }
  }
  const answer = read().catch((error) => {
    // The server may stop before the request reaches it.
    const isWithoutServer = error.code === 'ECONNRESET' || error.code === 'ECONNREFUSED'
    if (aborting.signal.aborted || isWithoutServer) return undefined
    throw error
  })
  return { answer, cut: () => aborting.abort() }
}

/** Sends a request and cuts the connection: at once, after the headers, or after the first bytes. */
export async function cutOff({ url, headers }: Target, random: Random): Promise<void> {
  const until = random.pick(['socket', 'response', 'data'] as const)
  await new Promise<void>((resolve) => {
    const request = get(url, { headers, agent })
    const cut = () => {
      request.destroy()
      resolve()
    }
    request.on('error', () => resolve())
    request.once('socket', () => until === 'socket' && setImmediate(cut))
    request.once('response', (message) => {
      if (until === 'response') cut()
      message.on('error', () => resolve())
      message.once('data', cut)
      message.once('end', resolve)
    })
  })
}

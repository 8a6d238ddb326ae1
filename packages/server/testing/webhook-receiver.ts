import { EventEmitter, once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Outgoing } from '../src/work/webhooks/outgoing.ts'

/** A message to a receiver, whatever it was answered. */
export type ReceivedMessage = {
  /** The path and the query. */
  target: string
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at parts of any page
  data: any
  raw: string
  headers: IncomingHttpHeaders
}

/** Answers a message. */
export type Behaviour = (response: ServerResponse, message: ReceivedMessage) => void

export const ACCEPT: Behaviour = (response) => void response.writeHead(204).end()
/** Never answers. */
export const HANG: Behaviour = () => undefined
/** Breaks the connection before an answer. */
export const BREAK: Behaviour = (response) => void response.destroy()

/** Answers 200, and never ends the body. */
export const NEVER_END: Behaviour = (response) => void response.writeHead(200).write('{')

export function answerWith(status: number, headers: Record<string, string> = {}): Behaviour {
  return (response) => void response.writeHead(status, headers).end()
}

export type WebhookReceiver = {
  readonly port: number
  readonly url: string
  /** All messages, in order. */
  readonly received: ReceivedMessage[]
  /** How many connections were opened. */
  connections(): number
  /** The most connections that were open at once. */
  mostOpen(): number
  behave(behaviour: Behaviour): void
  /** Resolves when this holds, which is looked at after each message. */
  until(holds: () => boolean): Promise<void>
  close(): Promise<void>
}

/** A try with one message. */
export function posting(
  url: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Outgoing {
  return { url, hidden: [], requests: [{ method: 'POST', url, headers, body }] }
}

/** A receiver of webhooks: a real HTTPS server on the loopback interface. */
export async function openReceiver(tls: { cert: Buffer; key: Buffer }): Promise<WebhookReceiver> {
  const events = new EventEmitter()
  const received: ReceivedMessage[] = []
  let behaviour = ACCEPT
  let connections = 0
  let open = 0
  let mostOpen = 0
  const server = createServer(tls, async (request, response) => {
    const message = await messageOf(request)
    received.push(message)
    behaviour(response, message)
    events.emit('received')
  })
  server.on('secureConnection', (socket) => {
    connections += 1
    open += 1
    mostOpen = Math.max(mostOpen, open)
    socket.on('close', () => {
      open -= 1
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://localhost:${port}/hook?token=secret`,
    received,
    connections: () => connections,
    mostOpen: () => mostOpen,
    behave(next) {
      behaviour = next
    },
    async until(holds) {
      while (!holds()) await once(events, 'received')
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function messageOf(request: IncomingMessage): Promise<ReceivedMessage> {
  const raw = Buffer.concat(await Array.fromAsync(request)).toString()
  const { headers } = request
  const { type, data } = JSON.parse(raw || '{}')
  return {
    target: String(request.url),
    id: String(headers['webhook-id']),
    type,
    data,
    raw,
    headers,
  }
}

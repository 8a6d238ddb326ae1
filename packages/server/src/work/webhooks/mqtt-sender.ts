import { randomUUID } from 'node:crypto'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { MqttClient, Packet } from 'mqtt'
import { shownAnswer } from './answer-text.ts'
import {
  boundAnswer,
  checkAddress,
  checkedHost,
  checkedLookup,
  type Reach,
  reasonOf,
} from './checked-connection.ts'
import type { IsOver, PublishedMessage, Sent } from './outgoing.ts'

type Publishing = {
  url: URL
  hidden: readonly string[]
  /** `user:password`. */
  credentials: string | null
  messages: readonly PublishedMessage[]
  reach: Reach
  ca: Buffer | undefined
  withinMs: number
}

const PORT = 1883
const TLS_PORT = 8883

/** Messages that are under way at once: brokers admit as many by default. */
const MAX_UNDER_WAY = 20

/**
 * Publishes messages in order with QoS 1, over a connection of its own with MQTT 5. Those that the broker has not
 * acknowledged in time are left for the next try. Never rejects.
 */
export async function publishAll(
  publishing: Publishing,
  signal: AbortSignal,
  isOver: IsOver,
): Promise<Sent> {
  const { messages, withinMs, hidden } = publishing
  const sent: Sent = { status: null, failure: null, arrived: 0 }
  if (messages.length === 0) return sent
  const late = AbortSignal.timeout(withinMs)
  let client: MqttClient | undefined
  try {
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => undefined)
    const ended = AbortSignal.any([signal, late])
    ended.addEventListener('abort', () => broken.reject(ended.reason), { once: true })
    client = await openClient(publishing, broken.reject, ended)
    const room = await Promise.race([accepted(client), broken.promise])
    await Promise.race([published(client, messages, { room, isOver }, sent), broken.promise])
    return sent
  } catch (error) {
    if (late.aborted && sent.arrived > 0) return sent
    if (late.aborted) return { ...sent, failure: `no answer within ${withinMs / 1_000} s` }
    const { code } = error as { code?: unknown }
    if (typeof code !== 'number') {
      return { ...sent, status: null, failure: reasonOf(error as Error) }
    }
    const failure = `refused with ${code}: ${shownAnswer((error as Error).message, hidden)}`
    return { ...sent, status: code, failure }
  } finally {
    client?.end(true)
  }
}

/** A client that connects once. `broke` takes each reason why it failed. */
async function openClient(
  { url, credentials, reach, ca }: Publishing,
  broke: (reason: unknown) => void,
  signal: AbortSignal,
): Promise<MqttClient> {
  const host = checkedHost(url, reach)
  // Loaded for the first delivery, because most servers never publish.
  const { MqttClient } = await import('mqtt')
  const port = Number(url.port) || (reach.isPlain ? PORT : TLS_PORT)
  const to = { host, port, lookup: checkedLookup(reach, signal) }
  function openSocket(): Socket {
    const servername = isIP(host) > 0 ? '' : host
    const socket = reach.isPlain ? connectPlain(to) : connectTls({ ...to, servername, ca })
    checkAddress(socket, reach, (reason) => socket.destroy(reason))
    boundAnswer(socket, (reason) => socket.destroy(reason))
    return socket.on('error', broke)
  }
  const at = credentials?.indexOf(':') ?? -1
  const client = new MqttClient(openSocket, {
    ...{ protocolVersion: 5, reconnectPeriod: 0, keepalive: 0, clean: true, resubscribe: false },
    clientId: `fleetgate-${randomUUID()}`,
    ...(at > 0 && { username: credentials!.slice(0, at), password: credentials!.slice(at + 1) }),
  })
  client.on('error', broke)
  client.on('disconnect', ({ reasonCode }) => {
    broke(Object.assign(new Error('the broker disconnected'), { code: reasonCode }))
  })
  client.on('close', () => {
    broke(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))
  })
  return client
}

/** Resolves when the broker accepts the client, with the messages that may be under way at once. */
function accepted(client: MqttClient): Promise<number> {
  return new Promise((resolve) => {
    client.once('connect', ({ properties }) =>
      resolve(Math.min(properties?.receiveMaximum ?? MAX_UNDER_WAY, MAX_UNDER_WAY)),
    )
  })
}

/**
 * Counts in `sent` the messages that were acknowledged without one missing before them: a broker may answer in another
 * order.
 */
function published(
  client: MqttClient,
  messages: readonly PublishedMessage[],
  { room, isOver }: { room: number; isOver: IsOver },
  sent: Sent,
): Promise<void> {
  let next = 0
  let underWay = 0
  const acknowledged = new Set<number>()
  return new Promise((resolve, reject) => {
    const publishOne = (index: number) => {
      const { topic, payload } = messages[index]!
      underWay += 1
      client.publish(topic, payload, { qos: 1 }, (error, packet) => {
        if (error != null) return reject(error)
        underWay -= 1
        acknowledged.add(index)
        sent.status = reasonIn(packet)
        while (acknowledged.has(sent.arrived)) sent.arrived += 1
        publish()
      })
    }
    const publish = () => {
      while (next < messages.length && underWay < room && (next === 0 || !isOver())) {
        publishOne(next++)
      }
      if (underWay === 0) resolve()
    }
    publish()
  })
}

function reasonIn(packet: Packet | undefined): number {
  return packet?.cmd === 'puback' ? (packet.reasonCode ?? 0) : 0
}

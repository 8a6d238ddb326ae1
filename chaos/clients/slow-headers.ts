import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Finding } from '../part.ts'
import type { Attack } from './target.ts'

/** Milliseconds until the server closed its side, and until the connection was gone; and the status. */
export type Closing = { saidMs: number; goneMs: number; status: number }

const PATIENCE_MS = 12_000
const APART_MS = 1_000
const CLOSED_MS = 6_000
/**
 * The server reads one more second from a sender that continues after its answer, so that the sender can see the
 * answer. Such a sender notices the closed connection one byte later.
 */
const GONE_MS = 8_500

/** Senders of one header byte a second, half of whom continue after their answer. */
export function slowHeaders(senders: number): Attack {
  return {
    name: 'slow headers',
    async run({ server, feedPort, adminPort }) {
      const attacks = [
        () => slowTo('the public listener', server.port, senders),
        () => slowTo('the feed', feedPort, senders),
        () => slowTo('the operator’s listener', adminPort, senders),
        () => silentTo(server.port, senders),
      ]
      // Each group opens all of its connections at once; the four groups start one by one.
      return Promise.all(
        attacks.map(async (attack, i) => {
          await wait(i * APART_MS)
          return attack()
        }),
      )
    },
  }
}

async function slowTo(listener: string, port: number, senders: number): Promise<Finding> {
  const head = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nx-slow: '
  const closings = await Promise.all(
    Array.from({ length: senders }, (_, i) => send(port, head, i % 2 === 0)),
  )
  return judge(`${senders} senders of a header byte a second to ${listener}`, closings)
}

async function silentTo(port: number, senders: number): Promise<Finding> {
  const closings = await Promise.all(Array.from({ length: senders }, () => send(port, '', false)))
  return judge(`${senders} connections that send nothing`, closings)
}

export function judge(what: string, closings: Closing[]): Finding {
  const said = Math.max(...closings.map(({ saidMs }) => saidMs))
  const gone = Math.max(...closings.map(({ goneMs }) => goneMs))
  const timedOut = closings.filter(({ status }) => status === 408).length
  return {
    what,
    bar: 'all answered 408 and closed within 6 s, cut off within 8.5 s',
    measured: `${timedOut} answered 408; the last closed after ${seconds(said)}, gone after ${seconds(gone)}`,
    met: timedOut === closings.length && said <= CLOSED_MS && gone <= GONE_MS,
  }
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : 'never'
}

/** `goesOn`: the sender continues after the server has closed its side. */
function send(port: number, head: string, goesOn: boolean): Promise<Closing> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const closing: Closing = { saidMs: Infinity, goneMs: Infinity, status: 0 }
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: goesOn })
    const over = new AbortController()
    socket.on('connect', () => {
      socket.write(head)
      if (head !== '') void trickle(() => socket.write('a'), over.signal)
    })
    socket.on('data', (chunk) => {
      if (closing.status === 0) closing.status = Number(chunk.toString('latin1', 9, 12))
    })
    const hasClosed = () => {
      closing.saidMs = Math.min(closing.saidMs, performance.now() - startedAt)
    }
    socket.on('end', hasClosed)
    socket.on('error', () => {})
    socket.on('close', () => {
      hasClosed()
      closing.goneMs = performance.now() - startedAt
      end()
    })
    const timer = setTimeout(end, PATIENCE_MS)
    function end(): void {
      clearTimeout(timer)
      over.abort()
      socket.destroy()
      resolve(closing)
    }
  })
}

async function trickle(send: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(1000, undefined, { signal }).catch(() => {})
    if (!signal.aborted) send()
  }
}

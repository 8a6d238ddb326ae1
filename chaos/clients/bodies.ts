import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Finding } from '../part.ts'
import { type Attack, LOOSE_DESCRIPTORS, type Target } from './target.ts'
import {
  descriptorsFall,
  descriptorsOf,
  inMegabytes,
  settledBytes,
  watchMemory,
} from './watched-process.ts'

const MEBIBYTE = 2 ** 20
const MAX_BODY_BYTES = 8 * MEBIBYTE
/** Six times the feed's memory for one organization: V8 collects freed memory late. */
const MAX_GROWN_BYTES = 96 * MEBIBYTE
const TIMEOUT_MS = 30_000
const CLOSED_MS = TIMEOUT_MS + 1_500
const NEIGHBOUR_EVERY_MS = 100
const PATIENCE_MS = 45_000

/** Bodies to the feed that are slow, endless or as large as allowed, and never complete. */
export function bodies(senders: number): Attack {
  return {
    name: 'bodies',
    async run(target) {
      const { pid } = target.server
      const before = descriptorsOf(pid)
      using memory = watchMemory(pid, await settledBytes(pid))
      const over = new AbortController()
      const neighbour = sendSteadily(target, over.signal)
      const [slow, declared, endless, held] = await Promise.all([
        all(senders, () => slowBody(target)),
        all(senders, () => declaredBody(target)),
        all(senders, () => endlessBody(target)),
        all(senders, () => heldBody(target)),
      ])
      over.abort()
      const { left } = await descriptorsFall(pid, before + LOOSE_DESCRIPTORS, 10_000)
      return [
        judge(
          `${senders} bodies of a byte a second, of another organization`,
          slow,
          [408],
          CLOSED_MS,
        ),
        judge(`${senders} bodies declared to be of a gigabyte`, declared, [413], CLOSED_MS),
        judge(`${senders} bodies without end, in chunks`, endless, [413, 503], CLOSED_MS),
        judge(`${senders} bodies of 8 MiB that lack a byte`, held, [408, 503], CLOSED_MS),
        {
          what: 'memory grows meanwhile, all of the others sent to one organization',
          bar: 'at most 96 MB',
          measured: inMegabytes(memory.grown()),
          met: memory.grown() <= MAX_GROWN_BYTES,
        },
        neighbourFinding(await neighbour),
        {
          what: 'descriptors left of them',
          bar: 'none',
          measured: `${left}`,
          met: left === 0,
        },
      ]
    },
  }
}

/** Whether another organization's positions were stored meanwhile, one packet every 100 ms. */
export async function sendSteadily(
  { server, install }: Target,
  signal: AbortSignal,
): Promise<boolean[]> {
  const stored: boolean[] = []
  const headers = { 'x-feed-token': install.feedTokens[1]! }
  while (!signal.aborted) {
    const now = Date.now()
    const row = { ident: install.others[1]!.ident, time_device: now, latitude: 41, longitude: 2 }
    const sent = { method: 'POST', headers, body: JSON.stringify([row]) }
    const answer = await fetch(`${server.feed}/feed/v1/positions`, sent)
    const { result } = (await answer.json()) as { result?: { stored: number } }
    stored.push(result?.stored === 1)
    await wait(NEIGHBOUR_EVERY_MS)
  }
  return stored
}

export function neighbourFinding(stored: boolean[]): Finding {
  const many = stored.filter((each) => each).length
  return {
    what: 'another organization’s positions meanwhile: stored',
    bar: 'all',
    measured: `${many} of ${stored.length}`,
    met: many === stored.length && many > 0,
  }
}

type Ended = { status: number; closedMs: number }

function judge(what: string, ended: Ended[], statuses: number[], withinMs: number): Finding {
  const right = ended.filter(({ status }) => statuses.includes(status)).length
  const last = Math.max(...ended.map(({ closedMs }) => closedMs))
  const others = new Set(ended.map(({ status }) => status).filter((s) => !statuses.includes(s)))
  const otherStatuses = others.size === 0 ? '' : ` (others: ${[...others].join(', ')})`
  return {
    what,
    bar: `all answered ${statuses.join(' or ')} and closed within ${withinMs / 1000} s`,
    measured: `${right}${otherStatuses}; the last closed after ${(last / 1000).toFixed(1)} s`,
    met: right === ended.length && last <= withinMs,
  }
}

function all(count: number, send: () => Promise<Ended>): Promise<Ended[]> {
  return Promise.all(Array.from({ length: count }, send))
}

/** Uses an organization other than the one whose memory the large bodies fill. */
function slowBody(target: Target): Promise<Ended> {
  return post(target, 2, 'Content-Length: 1000', async function* () {
    for (;;) {
      await wait(1000)
      yield Buffer.from('[')
    }
  })
}

function declaredBody(target: Target): Promise<Ended> {
  return post(target, 0, `Content-Length: ${1024 * MEBIBYTE}`, zeros)
}

function endlessBody(target: Target): Promise<Ended> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), ZEROS, Buffer.from('\r\n')])
  return post(target, 0, 'Transfer-Encoding: chunked', async function* () {
    for (;;) yield chunk
  })
}

function heldBody(target: Target): Promise<Ended> {
  return post(target, 0, `Content-Length: ${MAX_BODY_BYTES}`, async function* () {
    for (let sent = ZEROS.length; sent < MAX_BODY_BYTES; sent += ZEROS.length) yield ZEROS
    yield ZEROS.subarray(1)
  })
}

const ZEROS = Buffer.alloc(65_536, ' ')

async function* zeros(): AsyncGenerator<Buffer> {
  for (;;) yield ZEROS
}

/** Sends as fast as the server reads, despite any answer, until the server closes the connection. */
function post(
  { install, feedPort }: Target,
  sender: number,
  framing: string,
  body: () => AsyncGenerator<Buffer>,
): Promise<Ended> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    let status = 0
    const socket = connect(feedPort, '127.0.0.1')
    socket.write(
      `POST /feed/v1/positions HTTP/1.1\r\nHost: a\r\nx-feed-token: ${install.feedTokens[sender]}\r\n${framing}\r\n\r\n`,
    )
    socket.on('data', (chunk) => {
      if (status === 0) status = Number(chunk.toString('latin1', 9, 12))
    })
    socket.on('error', () => {})
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ status, closedMs: performance.now() - startedAt })
    })
    const parts = Readable.from(body(), { highWaterMark: 1 })
    parts.pipe(socket, { end: false })
    socket.once('close', () => parts.destroy())
  })
}

import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Tenant } from '../../../bench/tenants.ts'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import type { Finding } from '../part.ts'
import type { Attack, Target } from './target.ts'
import { inMegabytes, settledBytes, watchMemory } from './watched-process.ts'

/** Pages in memory are some 40 MB, what is being written 10 MB, and V8 frees both when it collects them. */
const MAX_GROWN_BYTES = 192 * 2 ** 20
/** The rate limit of one organization, and its streams. */
const AT_ONCE = 10
/** Longer than the window, by the time that a server under attack may take to see a request. */
const WINDOW_MS = 13_000
/** The system takes some megabytes for each client before it takes nothing for 30 s. */
const SLOW_MS = 90_000
const LONGEST_STAY_MS = 5
const LOOK_EVERY_MS = 200

/** Clients of `/changes` that never read, stop waiting, or leave while a stream is being opened. */
export function abandonedFollowers(seed: number): Attack {
  return {
    name: 'abandoned followers',
    async run(target) {
      await wait(WINDOW_MS)
      const unread = await neverRead(target)
      const random = seeded('clients', 'abandoned followers', seed)
      await leave(target, random, requestOf('wait=25&from=now', 'application/json'))
      await wait(WINDOW_MS)
      await leave(target, random, requestOf('from=now', 'text/event-stream'))
      await wait(WINDOW_MS)
      return [unread, { ...(await openAgain(target)), seed }]
    },
  }
}

async function neverRead(target: Target): Promise<Finding> {
  const { pid } = target.server
  using memory = watchMemory(pid, await settledBytes(pid))
  const request = requestOf('from=history&limit=10000', 'text/event-stream')
  const sockets = ofEach(target, (tenant) => open(target, request(tenant)).pause())
  const begun = performance.now()
  const opened = await untilStreams(target, (streams) => streams === sockets.length)
  const left = await untilStreams(target, (streams) => streams === 0)
  const tookS = ((performance.now() - begun) / 1000).toFixed(1)
  for (const socket of sockets) socket.destroy()
  const grown = memory.grown()
  return {
    what: `${opened} streams of whole histories whose clients never read: left, memory grows`,
    bar: 'none after 90 s, less than 192 MB',
    measured: `${left} after ${tookS} s, ${inMegabytes(grown)}`,
    met: opened === sockets.length && left === 0 && grown < MAX_GROWN_BYTES,
  }
}

/** Resolves with the number of open streams once it is as wanted, at the latest after `SLOW_MS`. */
async function untilStreams(
  { server }: Target,
  isWanted: (streams: number) => boolean,
): Promise<number> {
  for (const giveUpAt = performance.now() + SLOW_MS; ; await wait(LOOK_EVERY_MS)) {
    const metrics = await (await fetch(`${server.admin}/metrics`)).text()
    const streams = Number(/^fleetgate_streams_open (\d+)$/m.exec(metrics)?.[1])
    if (isWanted(streams) || performance.now() > giveUpAt) return streams
  }
}

/** Sends a request as often as the window admits, and resets each connection a moment later. */
async function leave(target: Target, random: Random, request: (tenant: Tenant) => string) {
  const leaving = ofEach(target, async (tenant) => {
    const socket = open(target, request(tenant))
    await wait(random.whole(0, LONGEST_STAY_MS))
    socket.resetAndDestroy()
  })
  await Promise.all(leaving)
}

async function openAgain(target: Target): Promise<Finding> {
  const request = requestOf('from=now', 'text/event-stream')
  const sockets: Socket[] = []
  const answers = await Promise.all(
    ofEach(target, (tenant) => {
      const socket = open(target, request(tenant))
      sockets.push(socket)
      return new Promise<string>((resolve) => {
        socket.once('data', (bytes) => resolve(bytes.toString('latin1')))
        socket.once('close', () => resolve(''))
      })
    }),
  )
  for (const socket of sockets) socket.destroy()
  const opened = answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).length
  return {
    what: 'streams that open after as many waits and streams whose clients left at once',
    bar: `all ${answers.length}`,
    measured: String(opened),
    met: opened === answers.length,
  }
}

function requestOf(query: string, accept: string): (tenant: Tenant) => string {
  return ({ key }) =>
    `GET /public/v1/changes?${query} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nAccept: ${accept}\r\n\r\n`
}

function open({ server }: Target, request: string): Socket {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  socket.write(request)
  return socket
}

function ofEach<Made>({ install }: Target, make: (tenant: Tenant) => Made): Made[] {
  return install.long.flatMap((tenant) => Array.from({ length: AT_ONCE }, () => make(tenant)))
}

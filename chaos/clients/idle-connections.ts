import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Finding } from '../part.ts'
import { type Attack, LOOSE_DESCRIPTORS } from './target.ts'
import { descriptorsFall, descriptorsOf, inMegabytes, settledBytes } from './watched-process.ts'

const REQUEST = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n'
const AT_ONCE = 200
const CLOSE_EVERY_MS = 20
/** Requests before the baseline: the memory of the first requests does not belong to connections. */
const WARM_UP = 2_000
/** Descriptors that this process needs for other purposes. */
const OWN_DESCRIPTORS = 400
const MAX_RATIO = 1.3

/** Connections of one address that have received an answer and remain open. */
export function idleConnections(wanted: number): Attack {
  return {
    name: 'idle connections',
    async run({ server }) {
      // The public listener gets half of the server's descriptors, the feed the other half.
      const count = Math.min(wanted, Math.floor(openFilesLimit() / 2) - OWN_DESCRIPTORS)
      const bare = fork(new URL('./bare-server.ts', import.meta.url))
      const [barePort] = await once(bare, 'message')
      try {
        const bareGrew = await growth(bare.pid!, barePort as number, count)
        const before = descriptorsOf(server.pid)
        const ours = await growth(server.pid, server.port, count)
        const { left } = await descriptorsFall(server.pid, before + LOOSE_DESCRIPTORS, 5_000)
        return judge(wanted, count, bareGrew, ours, left)
      } finally {
        bare.kill()
      }
    },
  }
}

function judge(wanted: number, count: number, bare: number, ours: number, left: number): Finding[] {
  const perConnection = (bytes: number) => `${(bytes / count / 1024).toFixed(1)} kB`
  const few = count < wanted ? ` (of ${wanted}: no more files may be open here)` : ''
  return [
    {
      what: `${count.toLocaleString('en')} idle connections${few}: memory, beside a bare node:http server`,
      bar: `at most ${MAX_RATIO} times`,
      measured: `${(ours / bare).toFixed(2)} times: ${inMegabytes(ours)} and ${inMegabytes(bare)}, ${perConnection(ours)} and ${perConnection(bare)} each`,
      met: ours <= MAX_RATIO * bare,
    },
    {
      what: 'descriptors left once they are gone',
      bar: 'none',
      measured: `${left}`,
      met: left === 0,
    },
  ]
}

/** The growth of memory between two states at rest. */
async function growth(pid: number, port: number, count: number): Promise<number> {
  for (let i = 0; i < WARM_UP; i += AT_ONCE) await closeAll(await open(port, AT_ONCE))
  const rest = await settledBytes(pid)
  const sockets = await open(port, count)
  const held = await settledBytes(pid)
  const open_ = sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length
  await closeAll(sockets)
  if (open_ < count) throw new Error(`${count - open_} of ${count} connections were closed`)
  return held - rest
}

async function open(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const more = Math.min(AT_ONCE, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: more }, () => askOnce(port)))))
  }
  return sockets
}

async function askOnce(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(answer.toString())
  return socket
}

/** At the rate at which they opened: a burst of closings would be another test. */
async function closeAll(sockets: Socket[]): Promise<void> {
  for (const [i, socket] of sockets.entries()) {
    socket.destroy()
    if (i % AT_ONCE === 0) await wait(CLOSE_EVERY_MS)
  }
}

/** Node.js raises the soft limit to the hard limit. */
function openFilesLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return Number(limit ?? 1024)
}

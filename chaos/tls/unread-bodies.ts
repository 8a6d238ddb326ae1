import type { ServerProcess } from '../../acceptance/harness/server.ts'
import {
  askUnread,
  leaveAllUnread,
  leaveUnread,
  type UnreadTarget,
} from '../../acceptance/harness/unread-answers.ts'
import {
  descriptorsFall,
  descriptorsOf,
  settledBytes,
  watchMemory,
} from '../clients/watched-process.ts'
import type { Finding } from '../part.ts'

const KIBIBYTE = 1024
const MAX_EACH_KIB = 64
/** The server allows 134 s for the largest file. */
const CUT_MS = 145_000
/** More than four waiting requests would close a connection at once. */
const SEND_EVERY_MS = 40_000
const AT_ONCE = 32
const MANY_CUT_MS = 10_000
const PATIENCE_MS = 180_000
const WARM_UP = 50
/** Descriptors of the neighbour, and of connections that have not ended yet. */
const LOOSE_DESCRIPTORS = 5
const PING = get('/public/v1/ping')

/** Clients that request the largest file, read nothing, and continue to send requests. */
export async function unreadBodies(
  protocol: string,
  server: ServerProcess,
  target: UnreadTarget,
  count: number,
): Promise<Finding[]> {
  const request = get(await largestPath(target))
  for (const socket of await leaveAllUnread(target, request, WARM_UP)) socket.destroy()
  const before = descriptorsOf(server.pid) + LOOSE_DESCRIPTORS
  const sockets = await leaveAllUnread(target, PING, count)
  using memory = watchMemory(server.pid, await settledBytes(server.pid))
  await Promise.all(sockets.map((socket) => askUnread(socket, request)))
  await settledBytes(server.pid)
  const each = memory.grown() / count / KIBIBYTE
  const sending = setInterval(() => {
    for (const socket of sockets) socket.write(PING)
  }, SEND_EVERY_MS)
  const { left, tookMs } = await descriptorsFall(server.pid, before, PATIENCE_MS)
  clearInterval(sending)
  for (const socket of sockets) socket.destroy()
  const what = `${count} clients over ${protocol} that ask for the largest file and read nothing`
  return [
    {
      what: `${what}: memory grows, for each`,
      bar: `at most ${MAX_EACH_KIB} KiB`,
      measured: `${each.toFixed(1)} KiB`,
      met: each <= MAX_EACH_KIB,
    },
    {
      what: `${what}, but go on sending: cut`,
      bar: `all, within ${CUT_MS / 1000} s`,
      measured: `${left} left after ${Math.round(tookMs / 1000)} s`,
      met: left === 0 && tookMs <= CUT_MS,
    },
  ]
}

/** Clients that pipeline as many requests as a connection may, and read nothing. */
export async function unreadRequests(
  protocol: string,
  server: ServerProcess,
  target: UnreadTarget,
  count: number,
): Promise<Finding> {
  const before = descriptorsOf(server.pid) + LOOSE_DESCRIPTORS
  const requests = get(await largestPath(target)).repeat(AT_ONCE)
  const sockets = await leaveAllUnread(target, requests, count)
  const { left, tookMs } = await descriptorsFall(server.pid, before, PATIENCE_MS)
  for (const socket of sockets) socket.destroy()
  return {
    what: `${count} clients over ${protocol} that ask ${AT_ONCE} times at once for the largest file and read nothing: cut`,
    bar: `all, within ${MANY_CUT_MS / 1000} s`,
    measured: `${left} left after ${Math.round(tookMs / 1000)} s`,
    met: left === 0 && tookMs <= MANY_CUT_MS,
  }
}

/** The script of the reference page. */
async function largestPath(target: UnreadTarget): Promise<string> {
  const socket = await leaveUnread(target, get('/docs'))
  const [path] = /\/docs\/scalar-\w+\.js/.exec(String(socket.read()))!
  socket.destroy()
  return path
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
}

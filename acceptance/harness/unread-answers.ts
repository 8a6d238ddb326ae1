import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The target of unread connections. `ca`: the certificate of a TLS listener. */
export type UnreadTarget = { port: number; ca?: Buffer }

/** Sends bytes on a new connection, and resolves when the answer begins. */
export async function leaveUnread({ port, ca }: UnreadTarget, bytes: string): Promise<Socket> {
  const to = { port, host: '127.0.0.1' }
  const socket = ca === undefined ? connect(to) : connectTls({ ...to, ca })
  // The server may close the connection at any time.
  socket.on('error', () => {})
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  return socket
}

/** Sends another request on such a connection: reads the pending answer, then stops reading. */
export async function askUnread(socket: Socket, bytes: string): Promise<void> {
  socket.read()
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
}

/** Opens `count` connections with unread answers, each with the same request. */
export async function leaveAllUnread(
  target: UnreadTarget,
  bytes: string,
  count: number,
): Promise<Socket[]> {
  const AT_ONCE = 50
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const more = Math.min(AT_ONCE, count - sockets.length)
    const opened = Array.from({ length: more }, () => leaveUnread(target, bytes))
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}

/** Resident memory of a process, in bytes. The kernel's memory for its connections is not part of it. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024
}

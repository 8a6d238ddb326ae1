import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where unread connections go, and how. `ca`: of a listener that speaks TLS. */
export type UnreadTarget = { port: number; ca?: Buffer }

/** Sends bytes on a new connection, and resolves when the beginning of an answer has come. */
export async function leaveUnread({ port, ca }: UnreadTarget, bytes: string): Promise<Socket> {
  const to = { port, host: '127.0.0.1' }
  const socket = ca === undefined ? connect(to) : connectTls({ ...to, ca })
  // The server may cut it whenever it likes.
  socket.on('error', () => {})
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  return socket
}

/** Asks once more on such a connection: what came before is read, and then nothing. */
export async function askUnread(socket: Socket, bytes: string): Promise<void> {
  socket.read()
  socket.write(bytes)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
}

/** Leaves the answers on so many connections unread, each sent the same bytes. */
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

/** Bytes of memory that a process has. What the system keeps of its connections is not part of them. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024
}

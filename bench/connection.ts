import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'

/** One keep-alive connection that has at most one request under way. */
export type Connection = {
  /** Calls back with the status once the whole answer is in. */
  send(request: Buffer, answered: (status: number) => void): void
  close(): void
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i
const RECEIVE_BYTES = 65_536
const NOT_MODIFIED = 304

/**
 * A client that spends as little as can be on an answer, so that the server is what is measured: it
 * reads the status and the length, and counts the bytes. An answer without a length is an error, but
 * for 304, which has no body.
 */
export async function connect(port: number): Promise<Connection> {
  let answered: ((status: number) => void) | undefined
  let head = ''
  let status = 0
  let remaining = 0

  function receive(length: number, buffer: Uint8Array): boolean {
    if (status !== 0) {
      remaining -= length
    } else {
      head += (buffer as Buffer).toString('latin1', 0, length)
      const end = head.indexOf(HEAD_END)
      if (end === -1) return true
      status = Number(head.slice(9, 12))
      const body = head.length - end - HEAD_END.length
      remaining = status === NOT_MODIFIED ? -body : lengthOf(head) - body
    }
    if (remaining === 0) {
      const done = status
      const callback = answered
      head = ''
      status = 0
      answered = undefined
      callback?.(done)
    }
    return true
  }

  const socket = connectSocket({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafe(RECEIVE_BYTES), callback: receive },
  })
  await once(socket, 'connect')
  socket.on('close', () => {
    if (answered !== undefined) throw new Error('a connection closed with a request under way')
  })
  return {
    send(request, whenAnswered) {
      answered = whenAnswered
      socket.write(request)
    },
    close() {
      answered = undefined
      socket.destroy()
    },
  }
}

function lengthOf(head: string): number {
  const length = CONTENT_LENGTH.exec(head)?.[1]
  if (length === undefined) throw new Error(`no Content-Length in ${head}`)
  return Number(length)
}

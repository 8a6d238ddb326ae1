import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'

/** One keep-alive connection with at most one pending request. */
export type Connection = {
  /** Calls back with the status after the whole answer. */
  send(request: Buffer, answered: (status: number) => void): void
  close(): void
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i
const CHUNKED = /\r\ntransfer-encoding: chunked/i
/** A chunk of JSON cannot contain it. */
const LAST_CHUNK = '\r\n0\r\n\r\n'
const RECEIVE_BYTES = 65_536
const NOT_MODIFIED = 304

/**
 * A client that spends as little as possible on an answer, so that the server is measured: it reads the status
 * and the length and counts the bytes, or looks for the last chunk. Throws on any other form of answer except
 * 304, which has no body.
 */
export async function connect(port: number): Promise<Connection> {
  let answered: ((status: number) => void) | undefined
  let head = ''
  let status = 0
  let remaining = 0
  /** The end of the last chunk of an answer. */
  let tail: string | undefined

  function receive(length: number, buffer: Uint8Array): boolean {
    const text = (from: number) => (buffer as Buffer).toString('latin1', from, length)
    if (status === 0) {
      head += text(0)
      const end = head.indexOf(HEAD_END)
      if (end === -1) return true
      status = Number(head.slice(9, 12))
      const body = head.length - end - HEAD_END.length
      tail = CHUNKED.test(head)
        ? head.slice(end + HEAD_END.length).slice(-LAST_CHUNK.length)
        : undefined
      if (tail === undefined) remaining = status === NOT_MODIFIED ? -body : lengthOf(head) - body
    } else if (tail === undefined) {
      remaining -= length
    } else {
      tail = (tail + text(Math.max(0, length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length)
    }
    if (tail === undefined ? remaining === 0 : tail === LAST_CHUNK) {
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

import { once } from 'node:events'
import { connect } from 'node:net'

/** A stream of server-sent events that spends as little as possible on what it reads. */
export type OpenedStream = { close(): void }

const RECEIVE_BYTES = 65_536
/** Streams share one piece of memory, because what it has is read at once. */
const received = Buffer.allocUnsafe(RECEIVE_BYTES)

/** Sends a request. `came` gets each piece of the answer as text. */
export async function openStream(
  port: number,
  request: Buffer,
  came: (text: string) => void,
): Promise<OpenedStream> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer: received,
      callback(length, buffer) {
        came((buffer as Buffer).toString('latin1', 0, length))
        return true
      },
    },
  })
  await once(socket, 'connect')
  socket.write(request)
  return { close: () => socket.destroy() }
}

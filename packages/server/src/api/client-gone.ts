import type { Socket } from 'node:net'

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborts when a connection closes, because nobody reads its answers any more. */
export function clientGone(connection: Socket): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const closing = new AbortController()
  if (connection.destroyed) closing.abort()
  else connection.once('close', () => closing.abort())
  signals.set(connection, closing.signal)
  return closing.signal
}

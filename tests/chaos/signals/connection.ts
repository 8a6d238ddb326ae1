import { connect as connectSocket } from 'node:net'
import { type Answer, answerReader } from './answers.ts'

/** A client connection that records exactly which bytes were sent and received. */
export type Connection = {
  /** `performance.now()` of its creation. */
  readonly madeAt: number
  /** The last moment of any transfer on it. */
  readonly usedAt: number
  isOpen(): boolean
  /** Resolves when the other side has closed or reset it. */
  readonly ended: Promise<void>
  /**
   * Sends pieces with a pause between them, and resolves with the answers to the `count` requests in them.
   * Reading starts after `readAfterMs`.
   */
  send(request: Sent): Promise<Received>
  close(): void
}

export type Received = {
  /** Fewer than requested if the connection ended early. */
  answers: Answer[]
  /** Whether the connection ended within an answer. */
  isCut: boolean
  /** The error of the connection. */
  failure: string | undefined
}

export type Sent = {
  pieces: (string | Buffer)[]
  pauseMs?: number
  count: number
  readAfterMs?: number
}

/** Rejects if it is refused, or reset during connecting. */
export async function connect(port: number): Promise<Connection> {
  const socket = connectSocket({ port, host: '127.0.0.1', noDelay: true })
  let failure: Error | undefined
  let answers: Answer[] = []
  let [madeAt, usedAt] = [0, 0]
  let changed: () => void = () => {}
  const reader = answerReader((answer) => answers.push(answer))
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      socket.destroy()
      changed()
      resolve()
    }
    socket.once('end', end).once('close', end)
  })
  socket.on('error', (error) => {
    failure = error
  })
  socket.on('data', (bytes) => {
    usedAt = performance.now()
    try {
      reader.take(bytes)
    } catch (error) {
      socket.destroy(error as Error)
    }
    changed()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    void ended.then(() => reject(failure ?? new Error('it was ended')))
  })
  madeAt = performance.now()
  usedAt = madeAt

  async function send({ pieces, pauseMs = 0, count, readAfterMs = 0 }: Sent): Promise<Received> {
    answers = []
    if (readAfterMs > 0) socket.pause()
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await pause(pauseMs)
      socket.write(piece)
      usedAt = performance.now()
    }
    if (readAfterMs > 0) await pause(readAfterMs)
    socket.resume()
    while (answers.length < count && !socket.destroyed) {
      const { promise, resolve } = Promise.withResolvers<void>()
      changed = resolve
      await promise
    }
    return { answers, isCut: reader.isWithin(), failure: failure?.message }
  }

  return {
    madeAt,
    get usedAt() {
      return usedAt
    },
    isOpen: () => !socket.destroyed,
    ended,
    send,
    close: () => void socket.destroy(),
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

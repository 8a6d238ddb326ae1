import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { ClientBase, Submittable } from 'pg'
import { HEADER, TRAILER } from '../tuples.ts'
import { asUnavailable } from './unavailable.ts'

/** As much of the driver's connection as a copy takes. */
type CopyConnection = {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** The size of a block, and how many blocks wait before the server has to. */
const BLOCK_BYTES = 256 * 1024
const BLOCKS_AHEAD = 4

/**
 * Runs `COPY (…) TO STDOUT (FORMAT binary)` and gives its tuples, in blocks of whole ones, as fast as
 * they are taken. Who ends early ends the connection.
 */
export async function* copyOut(client: ClientBase, query: string): AsyncGenerator<Buffer> {
  const blocks: Buffer[] = []
  let failure: unknown
  let hasEnded = false
  let news = Promise.withResolvers<void>()
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let end = 0
  let isFirst = true
  let socket: Socket | undefined

  function tell(): void {
    news.resolve()
    news = Promise.withResolvers()
  }

  function flush(): void {
    if (end > 0) blocks.push(block.subarray(0, end))
    block = Buffer.allocUnsafe(BLOCK_BYTES)
    end = 0
    if (blocks.length >= BLOCKS_AHEAD) socket?.pause()
    tell()
  }

  /** A tuple, behind the header where it is the first; the last message is the trailer. */
  function add(message: Buffer): void {
    const tuple = isFirst ? message.subarray(HEADER.length) : message
    isFirst = false
    if (tuple.length === TRAILER.length) return
    if (end + tuple.length > block.length) flush()
    if (tuple.length > block.length) block = Buffer.allocUnsafe(tuple.length)
    block.set(tuple, end)
    end += tuple.length
  }

  function finish(error?: unknown): void {
    if (hasEnded) return
    failure = error
    hasEnded = true
    flush()
  }

  client.query(
    asSubmittable({
      submit(connection) {
        socket = connection.stream
        connection.query(`COPY (${query}) TO STDOUT (FORMAT binary)`)
      },
      handleCopyData: ({ chunk }) => add(chunk),
      handleError: (error) => finish(error),
      handleReadyForQuery: () => finish(),
    }),
  )
  try {
    while (!hasEnded || blocks.length > 0) {
      const next = blocks.shift()
      if (next !== undefined) yield next
      else {
        socket?.resume()
        if (!hasEnded) await news.promise
      }
    }
    if (failure !== undefined) throw asUnavailable(failure)
  } finally {
    if (!hasEnded) socket?.destroy()
    socket?.resume()
  }
}

/** Runs a `COPY … FROM STDIN (FORMAT binary)` of these tuples; what fails fails all of them. */
export async function copyIn(
  client: ClientBase,
  text: string,
  blocks: AsyncIterable<Buffer>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const ended = new AbortController()
  let failure: unknown

  async function pump(connection: CopyConnection): Promise<void> {
    try {
      connection.sendCopyFromChunk(HEADER)
      for await (const block of blocks) {
        if (ended.signal.aborted) return
        connection.sendCopyFromChunk(block)
        if (connection.stream.writableNeedDrain) {
          await once(connection.stream, 'drain', { signal: ended.signal })
        }
      }
      connection.sendCopyFromChunk(TRAILER)
      connection.endCopyFrom()
    } catch (error) {
      if (ended.signal.aborted) return
      failure = error
      connection.sendCopyFail('what is copied could not be read')
    }
  }

  client.query(
    asSubmittable({
      submit: (connection) => connection.query(text),
      handleCopyInResponse: (connection) => void pump(connection),
      handleError(error) {
        ended.abort()
        reject(failure ?? asUnavailable(error))
      },
      handleReadyForQuery: () => resolve(),
    }),
  )
  await promise
}

type Handlers = {
  submit(connection: CopyConnection): void
  handleError(error: unknown): void
  handleReadyForQuery(): void
  handleCopyData?(message: { chunk: Buffer }): void
  handleCopyInResponse?(connection: CopyConnection): void
}

function asSubmittable(handlers: Handlers): Submittable {
  const nothing = () => {}
  return {
    handleCommandComplete: nothing,
    handleEmptyQuery: nothing,
    handlePortalSuspended: nothing,
    handleRowDescription: nothing,
    handleDataRow: nothing,
    callback: nothing,
    ...handlers,
  } as unknown as Submittable
}

import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Client, ClientBase } from 'pg'
import { EARLIER_COPY_MS, TargetRefused } from '../../copy/copy-port.ts'
import { HEADER, TRAILER } from '../../copy/tuples.ts'
import { type CopyConnection, copyTo, sendCopy } from './copy-command.ts'
import { asUnavailable, isLocked } from './unavailable.ts'

/**
 * The `deployment.compatible_from` of a database while a copy fills it. No program has that version, so
 * every program refuses to use the database.
 */
export const UNFINISHED_COPY = 2 ** 31 - 1

/** Any number, if every version uses the same. */
const LOCK = 7305463

/** Ends the session of a machine that has not answered for 25 seconds. PostgreSQL's own limit is two hours. */
const KEEPALIVES = `
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3`

/**
 * Takes the lock of a database for the session of a copy: a shared lock to read, an exclusive one to write.
 * The lock ends with the session, and the session ends soon after its process. So this function waits for a
 * lock that a killed copy has left. Rejects with `TargetRefused` if another copy holds the lock.
 */
export async function lockForCopy(client: Client, right: 'read' | 'write'): Promise<void> {
  await client.query(KEEPALIVES)
  // During a statement PostgreSQL checks for the client only with this setting. On Windows it cannot, and a killed
  // copy keeps its lock until its statement ends.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => {})
  try {
    await client.query(`
      BEGIN;
      SET LOCAL lock_timeout = ${EARLIER_COPY_MS};
      SELECT pg_advisory_lock${right === 'read' ? '_shared' : ''}(${LOCK});
      COMMIT`)
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new TargetRefused('Another copy to or from this database is running: wait until it ends')
  }
}

/** The size of a block, and the number of blocks that wait before the server has to. */
const BLOCK_BYTES = 256 * 1024
const MAX_WAITING_BLOCKS = 4

/**
 * The binary tuples of a query, in blocks of whole tuples. The server waits while the caller is slow. If the
 * caller stops early, the connection is closed. Throws `StoreUnavailable`.
 */
export async function* copyBlocks(client: ClientBase, query: string): AsyncGenerator<Buffer> {
  const blocks: Buffer[] = []
  let socket: Socket | undefined
  let failure: Error | null = null
  let hasEnded = false
  let news = Promise.withResolvers<void>()

  function wake(): void {
    news.resolve()
    news = Promise.withResolvers()
  }

  const joiner = tupleJoiner((block) => {
    blocks.push(block)
    if (blocks.length >= MAX_WAITING_BLOCKS) socket?.pause()
    wake()
  })
  sendCopy(client, {
    text: copyTo(query),
    sent({ stream }) {
      socket = stream
    },
    received: joiner.add,
    ended(error) {
      if (hasEnded) return
      failure = error
      hasEnded = true
      joiner.flush()
      wake()
    },
  })
  try {
    while (!hasEnded || blocks.length > 0) {
      const block = blocks.shift()
      if (block !== undefined) {
        yield block
        continue
      }
      socket?.resume()
      await news.promise
    }
    if (failure !== null) throw asUnavailable(failure)
  } finally {
    if (!hasEnded) socket?.destroy()
    socket?.resume()
  }
}

/** Joins the tuples of a COPY to blocks. Each message is a tuple. The last one is the trailer. */
function tupleJoiner(put: (block: Buffer) => void) {
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let end = 0
  let isFirst = true

  function flush(): void {
    if (end > 0) put(block.subarray(0, end))
    block = Buffer.allocUnsafe(BLOCK_BYTES)
    end = 0
  }

  function add(message: Buffer): void {
    // The header comes with the first tuple.
    const tuple = isFirst ? message.subarray(HEADER.length) : message
    isFirst = false
    if (tuple.length === TRAILER.length) return
    if (end + tuple.length > block.length) flush()
    if (tuple.length > block.length) block = Buffer.allocUnsafe(tuple.length)
    block.set(tuple, end)
    end += tuple.length
  }

  return { add, flush }
}

/**
 * Runs a `COPY … FROM STDIN (FORMAT binary)` of these tuples, all or none. Rejects with the error of `blocks`,
 * or with `StoreUnavailable`.
 */
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
      connection.sendCopyFail('the rows to copy could not be read')
    }
  }

  sendCopy(client, {
    text,
    ready: (connection) => void pump(connection),
    ended(error) {
      if (error === null) return resolve()
      ended.abort()
      reject(failure ?? asUnavailable(error))
    },
  })
  await promise
}

import pg from 'pg'
import { Client, type ClientSettings } from './client.ts'
import { TOO_MANY_CONNECTIONS } from './unavailable.ts'
import { waitingLine } from './waiting-line.ts'

/** How often a server is asked again that had no connection left. */
const ASK_AGAIN_MS = 100

/** Connections to one server, each for one piece of work at a time. */
export type Connections = {
  /**
   * Runs work on a connection, and waits for one where all are in use or the server has none left. A
   * connection on which work fails is closed, unless it fails with `TakenBack`, of which the cause is
   * raised. Does not wait on when the signal aborts.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>, signal?: AbortSignal): Promise<T>
  end(): Promise<void>
}

/** Raised by work after which its connection is as good as before. */
export class TakenBack extends Error {}

export type ConnectionSettings = {
  client: ClientSettings
  /** Connections at most. */
  max: number
  /** How long work waits for one, and how many pieces of it wait at most. */
  patienceMs: number
  maxWaiting: number
  onConnect?: (client: pg.ClientBase) => Promise<void>
}

/** Does not connect yet. */
export function openConnections(settings: ConnectionSettings): Connections {
  const { client, max, patienceMs, maxWaiting, onConnect } = settings
  const pool = new pg.Pool({
    ...client,
    Client: Client as typeof pg.Client,
    max,
    ...(onConnect === undefined ? {} : { onConnect }),
  })
  // An idle connection that breaks is no longer in the pool; the next one finds out by itself.
  pool.on('error', () => {})
  const line = waitingLine(max, maxWaiting)
  /** Those that the server had no connection for, the first to be refused first. */
  const refused = new Set<() => void>()

  pool.on('release', () => {
    const [first] = refused
    if (first === undefined) return
    refused.delete(first)
    first()
  })

  /** One of this pool is released, or some time has passed in which another program's may have ended. */
  async function untilOneMayBeFree(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ASK_AGAIN_MS)
    refused.add(resolve)
    await promise
    clearTimeout(timer)
    refused.delete(resolve)
  }

  async function connect(untilMs: number, signal?: AbortSignal): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await pool.connect()
      } catch (error) {
        const isFull = error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS
        if (!isFull || signal?.aborted || performance.now() > untilMs) throw error
      }
      await untilOneMayBeFree()
    }
  }

  return {
    async use(work, signal) {
      const untilMs = performance.now() + patienceMs
      await line.take(patienceMs, signal)
      try {
        return await useClient(await connect(untilMs, signal), work)
      } finally {
        line.leave()
      }
    },
    end: () => pool.end(),
  }
}

async function useClient<T>(
  client: pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  // The queries on a connection get the error that breaks it.
  const ignore = () => {}
  client.on('error', ignore)
  let broken = true
  try {
    const result = await work(client)
    broken = false
    return result
  } catch (error) {
    broken = !(error instanceof TakenBack)
    throw error instanceof TakenBack ? error.cause : error
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

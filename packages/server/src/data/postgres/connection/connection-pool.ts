import pg from 'pg'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { Client, type ClientSettings } from './client.ts'
import { TOO_MANY_CONNECTIONS } from './unavailable.ts'

/** A statement that each connection prepares once under its name. */
export type Statement = {
  readonly name: string
  readonly text: string
  /** In a distributed database this one is sent instead. */
  readonly distributed?: Statement
}

const byText = new Map<string, Statement>()

/** The statement for a text. The same text always gives the same statement. */
export function statement(text: string): Statement {
  const oneLine = text.replace(/\s+/g, ' ').trim()
  let existing = byText.get(oneLine)
  if (existing === undefined) {
    existing = { name: `fg_${byText.size}`, text: oneLine }
    byText.set(oneLine, existing)
  }
  return existing
}

/** All statements so far. */
export function statements(): readonly Statement[] {
  return [...byText.values()]
}

/**
 * The largest number of connections that a serving process opens, by their use. One for each use is
 * enough to work.
 */
export const POOL_SIZES = {
  writes: 10,
  /** To each server, the primary and its replicas. */
  reads: 6,
  /** For pages of changes, and what wakes their readers. A crowd of readers waits here, and cannot keep a write waiting. */
  views: 3,
  changes: 1,
  /** For each of the last two, one under way and one waiting. */
  quotaCounts: 2,
  statesCounts: 2,
} as const

/** Why work was given up whose signal was aborted. */
export const CLIENT_GONE = 'The client disconnected before a connection to PostgreSQL was free.'
/** A server without a free connection is asked again at this interval. */
const ASK_AGAIN_MS = 100

/** Connections to one server. Each serves one piece of work at a time. */
export type Connections = {
  /**
   * Runs work on a connection. Waits if all are in use or the server has none left, until the signal aborts.
   * If the work fails, its connection is closed, unless it fails with `RolledBack`, whose cause is thrown.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>, signal?: AbortSignal): Promise<T>
  end(): Promise<void>
}

/** Thrown by work whose connection can still be used. The cause is the error of the work. */
export class RolledBack extends Error {}

type ConnectionSettings = {
  client: ClientSettings
  /** The largest number of connections. */
  max: number
  /** How long work waits for a connection, and the largest number of pieces of work that wait. */
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
  // The pool removes an idle connection that breaks.
  pool.on('error', () => {})
  const line = waitingLine(max, maxWaiting)
  /** Work that the server had no connection for, in the order of the refusals. */
  const refused = new Set<() => void>()

  pool.on('release', () => {
    const [first] = refused
    if (first === undefined) return
    refused.delete(first)
    first()
  })

  /** Resolves when this pool releases a connection, or after a time in which another program may have done so. */
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
    broken = !(error instanceof RolledBack)
    throw error instanceof RolledBack ? error.cause : error
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

/** A limited number of places. A caller that finds none free waits in line. */
type WaitingLine = {
  /**
   * Resolves when a place is free and taken. Rejects with `StoreUnavailable` at once if too many wait,
   * after `patienceMs`, or when the signal aborts.
   */
  take(patienceMs: number, signal?: AbortSignal): Promise<void>
  leave(): void
}

function waitingLine(places: number, maxWaiting: number): WaitingLine {
  let free = places
  /** The waiting callers in order of arrival. */
  const waiting = new Set<() => void>()

  function wait(patienceMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (why: string) => {
      // Decide now, not when the promise settles: a free place must not go to an aborted caller.
      waiting.delete(resolve)
      reject(new StoreUnavailable(why))
    }
    const late = () => giveUp(`No connection to PostgreSQL was free for ${patienceMs} ms.`)
    const gone = () => giveUp(CLIENT_GONE)
    const timer = setTimeout(late, patienceMs)
    signal?.addEventListener('abort', gone)
    waiting.add(resolve)
    if (signal?.aborted) gone()
    return promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', gone)
    })
  }

  return {
    take(patienceMs, signal) {
      if (free > 0) {
        free -= 1
        return Promise.resolve()
      }
      if (waiting.size < maxWaiting) return wait(patienceMs, signal)
      const why = `All connections to PostgreSQL are in use and ${maxWaiting} requests wait for one.`
      return Promise.reject(new StoreUnavailable(why))
    },
    leave() {
      const [first] = waiting
      if (first === undefined) {
        free += 1
        return
      }
      waiting.delete(first)
      first()
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../domain/clock.ts'
import { type Address, nameOf } from './address.ts'
import { type Access, type Connection, connect } from './connection.ts'
import { RedisUnavailable } from './unavailable.ts'

const ATTEMPT_EVERY_MS = 100
const ATTEMPT_PATIENCE_MS = 250

/**
 * One server behind a breaker: while it does not answer nobody waits for it, and it is tried again and
 * again by new connections, each of which has 250 ms, or as long as its URL allows: so that neither a
 * server that stands still nor a network that lost what was sent decides how soon its return is seen.
 */
export type Node = {
  readonly address: Address
  /** Undefined while the server does not answer. */
  connection(): Connection | undefined
  close(): void
}

export type NodeEvents = {
  up(connection: Connection): void
  down(error: RedisUnavailable): void
}

export function openNode(address: Address, access: Access, clock: Clock, events: NodeEvents): Node {
  let connection: Connection | undefined
  const closing = new AbortController()
  const patienceMs = Math.max(ATTEMPT_PATIENCE_MS, access.timeoutMs)

  async function connectAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = pause(ATTEMPT_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
      try {
        const made = await connect(address, access, clock, patienceMs, lost)
        if (closing.signal.aborted) return made.retire()
        connection = made
        return events.up(made)
      } catch (error) {
        if (!closing.signal.aborted) events.down(named(error as RedisUnavailable))
      }
      await next
    }
  }

  function lost(error: RedisUnavailable): void {
    connection = undefined
    if (closing.signal.aborted) return
    events.down(named(error))
    void connectAgain()
  }

  function named(error: RedisUnavailable): RedisUnavailable {
    return new RedisUnavailable(`${nameOf(address)}: ${error.message}`, { cause: error })
  }

  void connectAgain()
  return {
    address,
    connection: () => connection,
    close() {
      closing.abort()
      connection?.retire()
      connection = undefined
    },
  }
}

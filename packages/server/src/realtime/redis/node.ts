import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../domain/clock.ts'
import { type Address, nameOf } from './address.ts'
import { type Access, type Connection, connect } from './connection.ts'
import { RedisUnavailable } from './unavailable.ts'

const ATTEMPT_EVERY_MS = 100
const ATTEMPT_PATIENCE_MS = 250

/**
 * One server behind a circuit breaker. While the server does not answer, no caller waits for it. New
 * connections are tried all the time, each for 250 ms or the timeout in the URL. So a frozen server or a
 * network that lost packets does not decide how soon its return is noticed.
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

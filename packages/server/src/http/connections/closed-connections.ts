import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../domain/time/clock.ts'
import { thinning } from '../thinning.ts'
import type { CloseReason } from './connection-limits.ts'

const MESSAGES: Record<CloseReason, string> = {
  address: 'connection closed: its address has as many as --max-connections-per-address allows',
  idle: 'idle connection closed for a new one: too few files may be open, raise LimitNOFILE',
  descriptors: 'connection closed: too few files may be open, raise LimitNOFILE',
}

/** Counts and logs the connections that were closed because of a limit. */
export type ClosedConnections = (listener: string) => (address: string, reason: CloseReason) => void

/** `line` writes a line of the log. Lines are thinned for each address, or for each listener. */
export function openClosedConnections(
  line: (members: string) => void,
  registry: Registry,
  clock: Clock,
): ClosedConnections {
  const isThinnedOut = thinning(clock)
  const counter = new Counter({
    name: 'fleetgate_connections_closed_total',
    help: 'Connections closed because of a limit, by listener and reason.',
    labelNames: ['listener', 'reason'],
    registers: [registry],
  })
  return (listener) => (address, reason) => {
    counter.inc({ listener, reason })
    // A lack of descriptors concerns all addresses: a line for each would hide the reason.
    if (isThinnedOut(reason === 'address' ? address : listener)) return
    line(
      `"listener":"${listener}","reason":"${reason}","address":${JSON.stringify(address)},"msg":"${MESSAGES[reason]}"`,
    )
  }
}

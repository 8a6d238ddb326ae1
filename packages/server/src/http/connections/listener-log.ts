import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../domain/time/clock.ts'
import { newRequestId } from '../request-id.ts'
import { thinning } from '../thinning.ts'
import type { CloseReason, ConnectionLimits } from './connection-limits.ts'

const MESSAGES: Record<CloseReason, string> = {
  address: 'connection closed: its address has as many as --max-connections-per-address allows',
  idle: 'idle connection closed for a new one: too few files may be open, raise LimitNOFILE',
  descriptors: 'connection closed: too few files may be open, raise LimitNOFILE',
}

/** Counts and logs the events of one listener that are no requests. */
export type ListenerLog = {
  /** A connection was closed because of a limit. */
  closed: ConnectionLimits['closed']
  /**
   * Input never became a request. Returns the id for its answer, which is that of its line in the log. Undefined if the
   * line was dropped, so that no answer has an id that the log lacks.
   */
  unreadable(address: string, status: number, reason: string): string | undefined
}

/** The limits of a listener, with its log. */
export type LoggedLimits = ConnectionLimits & ListenerLog

export type OpenListenerLog = (listener: string) => ListenerLog

/** `line` writes a line of the log. Lines are thinned for each address, or for each listener. */
export function openListenerLogs(
  line: (members: string) => void,
  registry: Registry,
  clock: Clock,
): OpenListenerLog {
  const isThinnedOut = thinning(clock)
  const closings = new Counter({
    name: 'fleetgate_connections_closed_total',
    help: 'Connections closed because of a limit, by listener and reason.',
    labelNames: ['listener', 'reason'],
    registers: [registry],
  })
  const unreadables = new Counter({
    name: 'fleetgate_unreadable_requests_total',
    help: 'Answers to input that never became a request, by listener and status.',
    labelNames: ['listener', 'status'],
    registers: [registry],
  })
  return (listener) => ({
    closed(address, reason) {
      closings.inc({ listener, reason })
      // A lack of descriptors concerns all addresses: a line for each would hide the reason.
      if (isThinnedOut(reason === 'address' ? address : listener)) return
      line(
        `"listener":"${listener}","reason":"${reason}","address":${JSON.stringify(address)},"msg":"${MESSAGES[reason]}"`,
      )
    },
    unreadable(address, status, reason) {
      unreadables.inc({ listener, status })
      if (isThinnedOut(address)) return undefined
      const id = newRequestId()
      line(
        `"listener":"${listener}","status":${status},"reason":${JSON.stringify(reason)}` +
          `,"address":${JSON.stringify(address)},"request_id":"${id}","msg":"unreadable request"`,
      )
      return id
    },
  })
}

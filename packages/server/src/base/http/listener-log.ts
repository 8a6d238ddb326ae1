import { randomBytes } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../domain/time/time.ts'
import type { CloseReason, ConnectionLimits } from './connection-limits.ts'

const MESSAGES: Record<CloseReason, string> = {
  address: 'connection closed: its address has reached --max-connections-per-address',
  idle: 'idle connection closed to accept a new one: the limit of open files is reached; raise LimitNOFILE',
  descriptors: 'connection closed: the limit of open files is reached; raise LimitNOFILE',
}

export type Logger = {
  /** One line of the level `info`. `members` are members of a JSON object, as text. */
  line(members: string): void
  error(fields: object, message: string): void
}

/** Logs the failure of the request with this id. */
export function failureLog({ error }: Logger): (failure: unknown, id: string) => void {
  return (failure, id) =>
    error({ err: failure, request_id: id }, failure instanceof Error ? failure.message : 'failure')
}

/** Counts and logs the events of one listener that are not requests. */
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

const MINUTE_US = 60_000_000

/** Lines of one address in a minute. Beyond that only every 100th is logged. */
const LOGGED = 100

const THINNED_TO_EVERY = 100

/** Addresses counted separately in a minute. More of them belong to one network, and are counted together. */
const MAX_ADDRESSES = 10_000

/** All other addresses together. */
const OTHERS = 'others'

/** Lines of all addresses in a minute. Whoever has many addresses gets no further. */
const LOGGED_OF_ALL = 10_000

/** Whether a line about an address must be dropped. Each call counts as one line. */
export function thinning(clock: Clock): (address: string) => boolean {
  let lines = new Map<string, number>()
  let logged = 0
  let minuteUs = clock.monotonic()

  return (address) => {
    const nowUs = clock.monotonic()
    if (nowUs - minuteUs >= MINUTE_US) {
      lines = new Map()
      logged = 0
      minuteUs = nowUs
    }
    const isKnown = lines.size < MAX_ADDRESSES || lines.has(address)
    const counted = isKnown ? address : OTHERS
    const count = (lines.get(counted) ?? 0) + 1
    lines.set(counted, count)
    const isDropped = (count > LOGGED || logged >= LOGGED_OF_ALL) && count % THINNED_TO_EVERY !== 0
    if (!isDropped) logged += 1
    return isDropped
  }
}

/** Enough that the ids of all processes of a deployment differ, although the processes do not coordinate. */
const ID_BYTES = 12

const ID_LENGTH = 2 * ID_BYTES

/** Ids made at once: one call for all of them costs 35 ns an id, a call for each 2 µs. */
const POOL_IDS = 1_000

export const REQUEST_ID = 'X-Request-Id'

let pool = ''

let at = 0

/**
 * A new id of a request, 24 hexadecimal digits. It is random: a counter would show a client how many
 * requests others send.
 */
export function newRequestId(): string {
  if (at === pool.length) {
    pool = randomBytes(POOL_IDS * ID_BYTES).toString('hex')
    at = 0
  }
  const id = pool.slice(at, at + ID_LENGTH)
  at += ID_LENGTH
  return id
}

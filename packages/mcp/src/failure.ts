import {
  ConnectionError,
  FleetgateError,
  QuotaExhaustedError,
  RateLimitedError,
  SubscriptionInactiveError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '@fleetgate/client'
import { DAY_MS, formatInstant, MINUTE_MS } from '../../server/src/base/domain/time/time.ts'
import { ToolFault } from './tool-fault.ts'

const SCOPE = 'PUBLIC.403_001'

/** Why a tool gives no answer, and what to do. Undefined: the error is a bug. */
export function failureText(error: unknown, now: number): string | undefined {
  if (error instanceof ToolFault || error instanceof UnexpectedAnswerError) return error.message
  if (error instanceof ConnectionError) {
    return 'The Fleetgate server does not answer. Try again in a minute. If it still does not, report it to the operator.'
  }
  if (!(error instanceof FleetgateError)) return undefined
  const advice = adviceFor(error, now)
  return advice === undefined ? error.message : `${sentence(error.message)} ${advice}`
}

function adviceFor(error: FleetgateError, now: number): string | undefined {
  if (error instanceof QuotaExhaustedError) {
    const { exhausted } = error
    const ids = exhausted.length === 0 ? '' : `Vehicles without quota: ${exhausted.join(', ')}. `
    return `${ids}${renewal(now)} Leave these vehicles out, or ask again then.`
  }
  if (error instanceof RateLimitedError) {
    return `Other requests of this organization use up its limit. Try again in ${waitOf(error)}, with fewer calls.`
  }
  if (error instanceof UnavailableError) return `Try again in ${waitOf(error)}.`
  if (error instanceof UnauthorizedError) {
    return 'The operator must give this MCP server a valid API key.'
  }
  if (error instanceof SubscriptionInactiveError) {
    return 'Until it is active, only find_vehicles and usage answer.'
  }
  if (error.code === SCOPE) {
    return 'The API key of this MCP server does not include this operation. The operator can add it with fleetgate key update --operations.'
  }
  return undefined
}

/** When the daily quota is renewed, as a sentence. */
export function renewal(now: number): string {
  const at = renewedAt(now)
  const minutes = Math.ceil((at - now) / MINUTE_MS)
  const long = `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `The daily quota is renewed at ${formatInstant(at).replace('.000', '')}, in ${long}.`
}

/** The next midnight of UTC. */
export function renewedAt(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS
}

function waitOf({ retryAfterMs = 10_000 }: FleetgateError): string {
  return `${Math.ceil(retryAfterMs / 1_000)} seconds`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

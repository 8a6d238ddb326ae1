import { acceptItems } from './accept-items.ts'
import { highestWeights } from './weights.ts'

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) names server-sent events and prefers nothing else to them.
 * Without a preference between them and JSON, the answer is JSON.
 */
export function wantsEvents(header: string | undefined): boolean {
  if (header === undefined) return false
  const weights = highestWeights(acceptItems(header.toLowerCase()))
  const events = weights.get('text/event-stream') ?? 0
  return events > (weights.get('application/json') ?? 0)
}

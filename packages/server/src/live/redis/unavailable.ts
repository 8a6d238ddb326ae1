/** A server does not answer, or not now. The call had no effect, or its effect is unknown. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable'
}

/** Beginnings of error replies that may succeed later. */
const OUTAGES = new Set([
  'LOADING',
  'READONLY',
  'MISCONF',
  'OOM',
  'NOREPLICAS',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'BUSY',
  'NOAUTH',
  'WRONGPASS',
  'UNKILLABLE',
])

/** Maps an error for callers: an outage becomes `RedisUnavailable`, any other error stays. */
export function asUnavailable(error: unknown): unknown {
  const { name, message } = error as Error
  const isReply = name === 'ReplyError'
  const isOutage = OUTAGES.has(message.slice(0, message.indexOf(' '))) || isForbidden(message)
  if (isReply && !isOutage) return error
  return new RedisUnavailable(`Redis cannot answer: ${message}`, { cause: error })
}

/**
 * Replies to a user without a right. The last two come from a command inside a script, in Redis 7.2 and
 * in older ones.
 */
const FORBIDDEN = /^NOPERM|ACL failure in script|The user executing the script can't/

export function isForbidden(message: string): boolean {
  return FORBIDDEN.test(message)
}

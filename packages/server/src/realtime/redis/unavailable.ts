/** A server does not answer, or not now: what was asked was not done, or it is not known to be. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable'
}

/** How replies of servers begin that cannot do now what they could at another time. */
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

/** The error as callers know it: an outage becomes `RedisUnavailable`, any other stays. */
export function asUnavailable(error: unknown): unknown {
  const { name, message } = error as Error
  const isReply = name === 'ReplyError'
  const isOutage = OUTAGES.has(message.slice(0, message.indexOf(' '))) || isForbidden(message)
  if (isReply && !isOutage) return error
  return new RedisUnavailable(`Redis cannot answer: ${message}`, { cause: error })
}

/** Said to a user that lacks a right; the last two of a command in a script, by Redis 7.2 and by older ones. */
const FORBIDDEN = /^NOPERM|ACL failure in script|The user executing the script can't/

export function isForbidden(message: string): boolean {
  return FORBIDDEN.test(message)
}

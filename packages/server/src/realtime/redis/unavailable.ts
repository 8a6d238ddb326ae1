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
  'NOPERM',
  'UNKILLABLE',
])

/** The error as callers know it: an outage becomes `RedisUnavailable`, any other stays. */
export function asUnavailable(error: unknown): unknown {
  const { name, message } = error as Error
  const isReply = name === 'ReplyError'
  if (isReply && !OUTAGES.has(message.slice(0, message.indexOf(' ')))) return error
  return new RedisUnavailable(`Redis cannot answer: ${message}`, { cause: error })
}

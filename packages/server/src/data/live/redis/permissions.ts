import type { Redis } from 'ioredis'
import { KEY_PREFIX } from './redis-keys.ts'

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

/** Tells a Cluster from a single server in the output of INFO. */
export const IS_CLUSTER = /^cluster_enabled:1/m

/**
 * Tries every command that the scripts call, without changing data: on a key that nobody has, and some
 * with an argument that is refused. Redis checks permissions before arguments. Returns the names of the
 * commands that failed, and why. No key is declared, because a Cluster would redirect the script to the
 * key's server.
 */
const TRY_COMMANDS = `
local key, failed = ARGV[1], {}
local function try(name, ...)
  local reply = redis.pcall(name, ...)
  local why = type(reply) == 'table' and reply.err
  if why then failed[#failed + 1] = { name, why } end
end
try('TIME')
try('GET', key)
try('SET', key, '', 'PX', 'none')
try('HGET', key, 'a')
try('HMGET', key, 'a')
try('HSET', key, 'a', '', 'b')
try('HLEN', key)
try('HINCRBY', key, 'a', 'none')
try('HSETNX', key, 'a', '')
try('EXPIRE', key, 1)
try('DEL', key)
return failed
`

/** The server answers, but the user lacks a right that Fleetgate needs. */
export class NotPermitted extends RedisUnavailable {}

const UNKNOWN_SHA = '0'.repeat(40)

/** Rejects with `NotPermitted` if the user lacks a right that Fleetgate needs. */
export async function assertPermitted(redis: Redis, username = 'default'): Promise<void> {
  const key = `${KEY_PREFIX}:permissions`
  const refused = new Set<string>()

  function note(command: string, why: string): void {
    if (isForbidden(why)) refused.add(why.includes('access') ? 'keys' : command)
  }

  async function attempt(name: string, ...args: string[]): Promise<unknown> {
    try {
      return await redis.call(name, args)
    } catch (error) {
      note(name === 'CLUSTER' ? `${name} ${args[0]}` : name, (error as Error).message)
      return undefined
    }
  }

  const [info, inScripts] = await Promise.all([
    attempt('INFO', 'cluster'),
    attempt('EVAL', TRY_COMMANDS, '0', key),
    attempt('EVALSHA', UNKNOWN_SHA, '0'),
    attempt('HMGET', key, 'a'),
    attempt('CLUSTER', 'SLOTS'),
  ])
  if (IS_CLUSTER.test(`${info}`)) await attempt('ASKING')
  for (const [name, why] of (inScripts ?? []) as [string, string][]) note(name, why)
  if (refused.size > 0) throw new NotPermitted(sentence(username, refused))
}

function sentence(username: string, refused: ReadonlySet<string>): string {
  const commands = [...refused].filter((each) => each !== 'keys')
  const lacks = [
    ...(commands.length > 0 ? [`run ${commands.join(', ')}`] : []),
    ...(refused.has('keys') ? [`use keys that begin with ${KEY_PREFIX}:`] : []),
  ]
  const rules = [
    ...(refused.has('keys') ? [`~${KEY_PREFIX}:*`] : []),
    ...commands.map((command) => `+${command.toLowerCase().replace(' ', '|')}`),
  ]
  return `The user ${username} may not ${lacks.join(' and ')}. Allow it with ACL SETUSER ${username} ${rules.join(' ')}`
}

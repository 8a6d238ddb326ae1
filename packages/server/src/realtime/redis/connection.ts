import { Redis } from 'ioredis'
import type { Clock } from '../../domain/clock.ts'
import type { Address } from './address.ts'
import { assertPermitted, IS_CLUSTER, NotPermitted } from './permissions.ts'
import type { RedisUrl } from './redis-url.ts'
import type { Script } from './scripts/script.ts'
import { type ServerClock, serverClock } from './server-clock.ts'
import { asUnavailable, isForbidden, RedisUnavailable } from './unavailable.ts'

/**
 * The part of the time for an answer after which a server does not begin any more: the rest is for the
 * answer's way back.
 */
const BEGUN_PART = 0.8

/** Keys and arguments of a script, the deadline aside. */
export type Asked = { keys: string[]; values: (string | number | Buffer)[] }

/** One connection to one server, good until the first time that it does not answer in time. */
export type Connection = {
  /** Unlike that of any other run of any server. */
  readonly run: string
  /**
   * What the script's body returns, and the server's time then in microseconds. Rejects with
   * `RedisUnavailable` after the URL's `timeoutMs` at the latest.
   */
  evaluate(
    script: Script,
    asked: Asked,
    isAsking: boolean,
  ): Promise<{ result: unknown; timeUs: number }>
  /** Fields of a hash, null where it has none; rejects likewise. */
  fields(key: string, names: (string | number)[], isAsking: boolean): Promise<(Buffer | null)[]>
  /** The answer of a command that takes no keys; rejects likewise. */
  command(...command: [name: string, ...values: string[]]): Promise<unknown>
  /** Asks nothing more, and ends when what is under way has settled. */
  retire(): void
}

export type Access = Omit<RedisUrl, 'addresses'>

/**
 * Connects, and tries whether the server does what it is asked. Rejects with `RedisUnavailable` after
 * `patienceMs` at the latest. `lost` is called once, where it is no good any more.
 */
export async function connect(
  address: Address,
  access: Access,
  clock: Clock,
  patienceMs: number,
  lost: (error: RedisUnavailable) => void,
): Promise<Connection> {
  const redis = client(address, access)
  let failure: Error | undefined
  redis.on('error', (error) => {
    failure ??= error
  })
  const server = serverClock()
  try {
    const greeted = redis.connect().then(() => greet(redis, access.username, server, clock))
    const run = await within(patienceMs, greeted)
    return opened(redis, run, server, clock, access.timeoutMs, lost)
  } catch (error) {
    redis.disconnect()
    if (error instanceof NotPermitted) throw error
    const cause = failure ?? (error as Error)
    throw new RedisUnavailable(`Redis cannot be reached: ${cause.message}`, { cause })
  }
}

function client(address: Address, { username, password, database, tls }: Access): Redis {
  return new Redis({
    ...address,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    db: database,
    connectionName: 'fleetgate',
    // What is sent is sent once: a command that may have been done is never sent again.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    enableReadyCheck: false,
    disableClientInfo: true,
    lazyConnect: true,
    protocol: 2,
  })
}

const TOLD = ['server', 'replication', 'cluster']
const TELL_TIME = `local time = redis.call('TIME') return time[1] * 1000000 + time[2]`

/** The server's time is asked for by a script: a server may answer commands and do no scripts. */
async function greet(
  redis: Redis,
  username: string | undefined,
  server: ServerClock,
  clock: Clock,
): Promise<string> {
  await assertPermitted(redis, username)
  const sentUs = clock.monotonic()
  const [time, info] = await Promise.all([redis.eval(TELL_TIME, 0), redis.info(...TOLD)])
  server.told(time as number, sentUs, clock.monotonic())
  // In a Cluster a replica tells who the others are, and sends on what is asked of it.
  const isReplica = /^role:slave/m.test(info) && !IS_CLUSTER.test(info)
  if (isReplica) throw new RedisUnavailable('it is a replica, which only reads.')
  return /^run_id:(\w+)/m.exec(info)?.[1] ?? ''
}

function opened(
  redis: Redis,
  run: string,
  server: ServerClock,
  clock: Clock,
  timeoutMs: number,
  lost: (error: RedisUnavailable) => void,
): Connection {
  let underWay = 0
  let isRetired = false

  redis.once('close', () => retire(new RedisUnavailable('Redis has closed the connection.')))

  function retire(error?: RedisUnavailable): void {
    const isFirst = !isRetired
    isRetired = true
    if (underWay === 0) redis.disconnect()
    if (isFirst && error !== undefined) lost(error)
  }

  async function inTime<T>(ask: () => Promise<T>): Promise<T> {
    if (isRetired) throw new RedisUnavailable('The connection to Redis is closed.')
    underWay += 1
    try {
      return await within(timeoutMs, ask())
    } catch (error) {
      const known = asUnavailable(error)
      // The next connection finds out what a user may no longer do.
      const isUseless = isReplicas(error) || isForbidden((error as Error).message)
      if (error instanceof Late || isUseless) retire(known as RedisUnavailable)
      throw known
    } finally {
      underWay -= 1
      if (isRetired && underWay === 0) redis.disconnect()
    }
  }

  function send(isAsking: boolean, command: string, ...values: Asked['values']) {
    if (isAsking) redis.call('ASKING').catch(() => {})
    return redis.callBuffer(command, values)
  }

  /** Undefined where the server came to it too late, and did nothing. */
  async function begunBy(deadlineUs: number, script: Script, asked: Asked, isAsking: boolean) {
    const deadline = Math.floor(server.at(deadlineUs))
    const values = [asked.keys.length, ...asked.keys, deadline, ...asked.values]
    const sentUs = clock.monotonic()
    const evaluated = send(isAsking, 'EVALSHA', script.sha, ...values).catch((error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error
      return send(isAsking, 'EVAL', script.text, ...values)
    })
    const [timeUs, isInTime, result] = (await evaluated) as [number, number, unknown]
    server.told(timeUs, sentUs, clock.monotonic())
    return isInTime === 1 ? { result, timeUs } : undefined
  }

  return {
    run,
    evaluate(script, asked, isAsking) {
      return inTime(async () => {
        const deadlineUs = clock.monotonic() + BEGUN_PART * timeoutMs * 1_000
        const begun =
          (await begunBy(deadlineUs, script, asked, isAsking)) ??
          // The server's clock may have been set forward: now it is known what it shows.
          (await begunBy(deadlineUs, script, asked, isAsking))
        if (begun === undefined) throw new RedisUnavailable('Redis came to it too late.')
        return begun
      })
    },
    fields(key, names, isAsking) {
      // Late it does no harm, so it needs no deadline.
      return inTime(() => send(isAsking, 'HMGET', key, ...names) as Promise<(Buffer | null)[]>)
    },
    command: (name, ...values) => inTime(() => redis.call(name, values)),
    retire: () => retire(),
  }
}

class Late extends RedisUnavailable {}

/** Said by a server that has become a replica: under its name another one may be found by now. */
function isReplicas(error: unknown): boolean {
  return (error as Error).message.startsWith('READONLY')
}

/** Rejects with `Late` where there is no answer within so many milliseconds. */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Late(`Redis did not answer within ${ms} ms.`))
    // An answer that came while this process was held up is read before it counts as late.
    const timer = setTimeout(() => setImmediate(late), ms)
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Clock } from '../../../base/domain/time/time.ts'
import { type Address, nameOf, type RedisUrl } from '../redis-url.ts'
import {
  assertPermitted,
  asUnavailable,
  IS_CLUSTER,
  isForbidden,
  NotPermitted,
  RedisUnavailable,
} from './permissions.ts'
import type { Script } from './scripts.ts'

/**
 * The share of the timeout after which a server must not begin a script. The rest is for the way back.
 */
const BEGUN_PART = 0.8

/** How often a new connection is tried, and the least time that it may take. */
const ATTEMPT_EVERY_MS = 100

const ATTEMPT_PATIENCE_MS = 250

/** Keys and arguments of a script, without the deadline. */
export type ScriptArguments = { keys: string[]; values: (string | number | Buffer)[] }

/** One connection to one server. It ends the first time that the server does not answer in time. */
export type Connection = {
  /** The server's run id: it differs for every run of every server. */
  readonly run: string
  /**
   * Runs a script. Resolves to the result of its body and the server's time in microseconds. Rejects with
   * `RedisUnavailable` after `timeoutMs` of the URL at the latest.
   */
  evaluate(
    script: Script,
    asked: ScriptArguments,
    isAsking: boolean,
  ): Promise<{ result: unknown; timeUs: number }>
  /** Fields of a hash; null for a missing one. Rejects likewise. */
  fields(key: string, names: (string | number)[], isAsking: boolean): Promise<(Buffer | null)[]>
  /** The answer to a command without keys. Rejects likewise. */
  command(...command: [name: string, ...values: string[]]): Promise<unknown>
  /** Sends nothing more. The connection closes when the calls under way have settled. */
  retire(): void
}

type Access = Omit<RedisUrl, 'addresses'>

/**
 * Connects and checks that the server runs what Fleetgate needs. Rejects with `RedisUnavailable` after
 * `patienceMs` at the latest. `lost` is called once, when the connection can no longer be used.
 */
async function connect(
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
    // A command that may have run is never sent again.
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

const INFO_SECTIONS = ['server', 'replication', 'cluster']

const SERVER_TIME = `local time = redis.call('TIME') return time[1] * 1000000 + time[2]`

/** A script asks for the time, because a server may answer commands but run no scripts. */
async function greet(
  redis: Redis,
  username: string | undefined,
  server: ServerClock,
  clock: Clock,
): Promise<string> {
  await assertPermitted(redis, username)
  const sentUs = clock.monotonic()
  const [time, info] = await Promise.all([redis.eval(SERVER_TIME, 0), redis.info(...INFO_SECTIONS)])
  server.observe(time as number, sentUs, clock.monotonic())
  // In a Cluster a replica is useful: it names the other servers and redirects.
  const isReplica = /^role:slave/m.test(info) && !IS_CLUSTER.test(info)
  if (isReplica) throw new RedisUnavailable('it is a read-only replica.')
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
  const { send, begunBy } = commandsOf(redis, server, clock)
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
      // The next connection finds out which right the user has lost.
      const isUseless = isReplicas(error) || isForbidden((error as Error).message)
      if (error instanceof Late || isUseless) retire(known as RedisUnavailable)
      throw known
    } finally {
      underWay -= 1
      if (isRetired && underWay === 0) redis.disconnect()
    }
  }

  return {
    run,
    evaluate(script, asked, isAsking) {
      return inTime(async () => {
        const deadlineUs = clock.monotonic() + BEGUN_PART * timeoutMs * 1_000
        const begun =
          (await begunBy(deadlineUs, script, asked, isAsking)) ??
          // The server's clock may have been set forward. The first reply contained its time, so
          // try again.
          (await begunBy(deadlineUs, script, asked, isAsking))
        if (begun === undefined) throw new RedisUnavailable('Redis started the request too late.')
        return begun
      })
    },
    fields(key, names, isAsking) {
      // A late read does no harm, so it has no deadline.
      return inTime(() => send(isAsking, 'HMGET', [key, ...names]) as Promise<(Buffer | null)[]>)
    },
    command: (name, ...values) => inTime(() => redis.call(name, values)),
    retire: () => retire(),
  }
}

/** How commands and scripts are sent, after `ASKING` in a Cluster that moves their keys. */
function commandsOf(redis: Redis, server: ServerClock, clock: Clock) {
  function send(isAsking: boolean, command: string, values: ScriptArguments['values']) {
    if (isAsking) redis.call('ASKING').catch(() => {})
    return redis.callBuffer(command, values)
  }

  /** Undefined if the server got to it too late and did nothing. */
  async function begunBy(
    deadlineUs: number,
    script: Script,
    asked: ScriptArguments,
    isAsking: boolean,
  ) {
    const deadline = Math.floor(server.at(deadlineUs))
    const values = [asked.keys.length, ...asked.keys, deadline, ...asked.values]
    const sentUs = clock.monotonic()
    const evaluated = send(isAsking, 'EVALSHA', [script.sha, ...values]).catch((error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error
      return send(isAsking, 'EVAL', [script.text, ...values])
    })
    const [timeUs, isInTime, result] = (await evaluated) as [number, number, unknown]
    server.observe(timeUs, sentUs, clock.monotonic())
    return isInTime === 1 ? { result, timeUs } : undefined
  }

  return { send, begunBy }
}

class Late extends RedisUnavailable {}

/** The server has become a replica. Another server may answer under its name by now. */
function isReplicas(error: unknown): boolean {
  return (error as Error).message.startsWith('READONLY')
}

/** Rejects with `Late` if there is no answer within `ms`. */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Late(`Redis did not answer within ${ms} ms.`))
    // An answer that arrived while this process was busy is read before the deadline counts.
    const timer = setTimeout(() => setImmediate(late), ms)
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

/**
 * One server with a circuit breaker. While the server does not answer, no caller waits for it. New
 * connections are tried all the time, each for 250 ms or the timeout in the URL. So a frozen server or a
 * network that lost packets does not decide how soon its return is noticed.
 */
export type Node = {
  readonly address: Address
  /** Undefined while the server does not answer. */
  connection(): Connection | undefined
  close(): void
}

type NodeEvents = {
  up(connection: Connection): void
  down(error: RedisUnavailable): void
}

export function openNode(address: Address, access: Access, clock: Clock, events: NodeEvents): Node {
  let connection: Connection | undefined
  const closing = new AbortController()
  const patienceMs = Math.max(ATTEMPT_PATIENCE_MS, access.timeoutMs)

  async function connectAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = pause(ATTEMPT_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
      try {
        const opened = await connect(address, access, clock, patienceMs, lost)
        if (closing.signal.aborted) return opened.retire()
        connection = opened
        return events.up(opened)
      } catch (error) {
        if (!closing.signal.aborted) events.down(named(error as RedisUnavailable))
      }
      await next
    }
  }

  function lost(error: RedisUnavailable): void {
    connection = undefined
    if (closing.signal.aborted) return
    events.down(named(error))
    void connectAgain()
  }

  function named(error: RedisUnavailable): RedisUnavailable {
    return new RedisUnavailable(`${nameOf(address)}: ${error.message}`, { cause: error })
  }

  void connectAgain()
  return {
    address,
    connection: () => connection,
    close() {
      closing.abort()
      connection?.retire()
      connection = undefined
    },
  }
}

/**
 * Estimates a server's clock from the times in its replies. The estimate is never ahead of the server's
 * clock, however long the replies took, so that a deadline made of it is never too late.
 */
type ServerClock = {
  /**
   * Takes the server's time in a reply, and when the request was sent and the reply came. Microseconds.
   */
  observe(serverUs: number, sentUs: number, cameUs: number): void
  /** The earliest time that the server's clock can show at `nowUs`, in microseconds. */
  at(nowUs: number): number
}

export function serverClock(): ServerClock {
  /** How far the server's clock is ahead of this process's clock, at least. */
  let ahead = Number.NEGATIVE_INFINITY
  return {
    observe(serverUs, sentUs, cameUs) {
      const atLeast = serverUs - cameUs
      const atMost = serverUs - sentUs
      // Impossible unless the server's clock was set back or runs slower: start again from this reply.
      ahead = ahead > atMost ? atLeast : Math.max(ahead, atLeast)
    },
    at: (nowUs) => nowUs + ahead,
  }
}

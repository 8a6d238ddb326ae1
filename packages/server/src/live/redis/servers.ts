import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../domain/time/clock.ts'
import { type Connection, type Node, openNode, type ScriptArguments } from './connection.ts'
import { FIND_FOREIGN, foreignValues } from './foreign-value.ts'
import { NotPermitted } from './permissions.ts'
import { type Address, nameOf, type RedisUrl } from './redis-url.ts'
import type { Script } from './scripts.ts'
import { RedisUnavailable } from './unavailable.ts'

/** `error` when trouble begins, `info` when it ends. */
export type Level = 'error' | 'info'

/** Takes a line for the log. */
export type LogServerEvent = (line: string, level: Level) => void

const LOOK_EVERY_MS = 100
const SLOTS = 16_384
/** A reply that redirects the caller to another server. */
const REDIRECTION = /^(MOVED|ASK) \d+ (.*):(\d+)$/

/** The result of a script, the server's time in microseconds, and the server's run id. */
export type Evaluated = { result: unknown; timeUs: number; run: string }

/**
 * One server, or the servers of a Cluster. Each call goes to the server that owns the organization's
 * slot.
 */
export type Servers = {
  /** Rejects with `RedisUnavailable`, at once if the server is known to be down. */
  evaluate(
    organization: number,
    script: Script,
    asked: (run: string) => ScriptArguments,
  ): Promise<Evaluated>
  /** Fields of a hash of the organization, and the server's run id. Rejects likewise. */
  fields(
    organization: number,
    key: string,
    names: (string | number)[],
  ): Promise<{ values: (Buffer | null)[]; run: string }>
  /** Resolves once all servers answer. */
  whenUp(): Promise<void>
  close(): void
}

export type ServersEvents = {
  /** A server answers again, or the owners of slots have changed. */
  up(): void
  down(): void
  /** A line for the log: a server stopped answering, or answers again. */
  log: LogServerEvent
}

type Work<T> = (connection: Connection, isAsking: boolean) => Promise<T>

export function openServers(url: RedisUrl, clock: Clock, events: ServersEvents): Servers {
  const nodes = new Map<string, Node>()
  const seeds = new Set(url.addresses.map(nameOf))
  const silent = new Set<string>()
  const { promise: allUp, resolve: resolveAllUp } = Promise.withResolvers<void>()
  let topology: Topology = []
  let looking: Promise<void> | undefined
  let isClosed = false

  function nodeAt(address: Address): Node {
    const name = nameOf(address)
    let node = nodes.get(name)
    if (node === undefined) {
      node = openNode(address, url, clock, {
        up() {
          if (silent.delete(name)) events.log(`Redis answers again: ${name}`, 'info')
          void look()
          events.up()
        },
        down(error) {
          const isRefused = error.cause instanceof NotPermitted
          const event = isRefused ? 'Redis cannot be used' : 'Redis does not answer'
          if (!silent.has(name)) events.log(`${event}: ${error.message}`, 'error')
          silent.add(name)
          void look()
          events.down()
        },
      })
      nodes.set(name, node)
    }
    return node
  }

  /** Reads the topology again and again until all owners of slots answer. */
  function look(): Promise<void> {
    looking ??= (async () => {
      while (!isClosed) {
        await readFromAny()
        if (isUp()) break
        await pause(LOOK_EVERY_MS, undefined, { ref: false })
      }
      looking = undefined
      if (!isClosed) resolveAllUp()
    })()
    return looking
  }

  async function readFromAny(): Promise<void> {
    for (const node of nodes.values()) {
      const connection = node.connection()
      if (connection === undefined) continue
      try {
        return settle(await readTopology(node.address, connection))
      } catch (error) {
        // Try the next server. This one is asked again later.
        if (!(error instanceof RedisUnavailable)) throw error
      }
    }
  }

  function settle(read: Topology): void {
    if (isClosed) return
    const isNews = read.some((each, slot) => !isSame(each, topology[slot]))
    topology = read
    const masters = new Set(read.filter((each) => each !== undefined))
    const needed = new Set([...seeds, ...Array.from(masters, nameOf)])
    for (const master of masters) nodeAt(master)
    for (const [name, node] of nodes) {
      if (needed.has(name)) continue
      node.close()
      nodes.delete(name)
      silent.delete(name)
    }
    // A new owner may have been connected already.
    if (isNews) events.up()
  }

  function isUp(): boolean {
    if (topology.length === 0) return false
    const masters = new Set(topology)
    return [...masters].every((each) => each !== undefined && connectionTo(each) !== undefined)
  }

  function connectionTo(address: Address | undefined): Connection | undefined {
    return address === undefined ? undefined : nodes.get(nameOf(address))?.connection()
  }

  async function ask<T>(
    address: Address | undefined,
    isAsking: boolean,
    work: Work<T>,
  ): Promise<T> {
    const connection = connectionTo(address)
    if (connection === undefined) throw new RedisUnavailable('Redis does not answer just now.')
    return work(connection, isAsking)
  }

  /** Asks the owner of the organization's slot, and follows one redirection. */
  async function askFor<T>(organization: number, work: Work<T>): Promise<T> {
    const address = topology[keySlot(`${organization}`)]
    try {
      return await ask(address, false, work)
    } catch (error) {
      const redirection = address && redirectionOf(error, address)
      if (redirection === undefined) throw error
      nodeAt(redirection.address)
      if (redirection.isMoved) void look()
      return ask(redirection.address, !redirection.isMoved, work).catch((again) => {
        if (redirectionOf(again, redirection.address) === undefined) throw again
        // The two servers do not agree yet on the owner.
        throw new RedisUnavailable('A slot of the Cluster is being moved.', { cause: again })
      })
    }
  }

  for (const address of url.addresses) nodeAt(address)
  const asForeign = foreignValues(events.log, clock)

  return {
    evaluate: (organization, script, asked) =>
      askFor(organization, async (connection, isAsking) => {
        const { run } = connection
        const { keys, values } = asked(run)
        const evaluated = await connection
          .evaluate(script, { keys, values }, isAsking)
          .catch(async (error) => {
            const find = () => findForeign(connection, keys, isAsking)
            throw await asForeign(error, keys, find)
          })
        return { ...evaluated, run }
      }),
    fields: (organization, key, names) =>
      askFor(organization, async (connection, isAsking) => {
        const values = await connection.fields(key, names, isAsking).catch(async (error) => {
          throw await asForeign(error, [key], async () => key)
        })
        return { values, run: connection.run }
      }),
    whenUp: () => allUp,
    close() {
      isClosed = true
      for (const node of nodes.values()) node.close()
    },
  }
}

async function findForeign(connection: Connection, keys: string[], isAsking: boolean) {
  return (await connection.evaluate(FIND_FOREIGN, { keys, values: [] }, isAsking)).result
}

function isSame(one: Address | undefined, other: Address | undefined): boolean {
  return one?.host === other?.host && one?.port === other?.port
}

/**
 * The Cluster slot of every key whose name has this text between its first braces: CRC-16/XMODEM of its
 * bytes (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec).
 */
export function keySlot(tag: string): number {
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
    crc &= 0xffff
  }
  return crc % SLOTS
}

/** The server of each slot; undefined if no server has it at the moment. */
type Topology = readonly (Address | undefined)[]

/** Reads the topology from a server. A server outside a Cluster owns all slots. */
async function readTopology(asked: Address, connection: Connection): Promise<Topology> {
  let ranges: SlotRange[]
  try {
    ranges = (await connection.command('CLUSTER', 'SLOTS')) as SlotRange[]
  } catch (error) {
    if (error instanceof RedisUnavailable) throw error
    // The server has no Cluster, or does not permit the question.
    return new Array(SLOTS).fill(asked)
  }
  const topology: (Address | undefined)[] = new Array(SLOTS).fill(undefined)
  for (const [first, last, [host, port]] of ranges) {
    // A server that does not know its own address leaves it out: use the address that we asked.
    topology.fill({ host: host || asked.host, port }, first, last + 1)
  }
  return topology
}

type SlotRange = [first: number, last: number, master: [host: string | null, port: number]]

/**
 * Where a reply redirects the caller. `isMoved`: for all later calls. Otherwise for this call only, because the
 * slot is being moved.
 */
type Redirection = { address: Address; isMoved: boolean }

/** Undefined if the error is no redirection. `asked` is the server that sent it. */
function redirectionOf(error: unknown, asked: Address): Redirection | undefined {
  const [, kind, host, port] = REDIRECTION.exec((error as Error).message) ?? []
  if (kind === undefined) return undefined
  return { address: { host: host || asked.host, port: Number(port) }, isMoved: kind === 'MOVED' }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../../base/domain/time/time.ts'
import { type Address, nameOf, type RedisUrl } from '../redis-url.ts'
import { type Connection, type Node, openNode, type ScriptArguments } from './connection.ts'
import { NotPermitted, RedisUnavailable } from './permissions.ts'
import { type AsForeign, FIND_FOREIGN, foreignValues } from './redis-keys.ts'
import type { Script } from './scripts.ts'

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

type ServersEvents = {
  /** A server answers again, or the owners of slots have changed. */
  up(): void
  down(): void
  /** A line for the log: a server stopped answering, or answers again. */
  log: LogServerEvent
}

type Work<T> = (connection: Connection, isAsking: boolean) => Promise<T>

/**
 * One server, or the servers of a Cluster. Each call goes to the server that owns the organization's
 * slot.
 */
export class Servers {
  private readonly url: RedisUrl
  private readonly clock: Clock
  private readonly events: ServersEvents
  private readonly nodes = new Map<string, Node>()
  private readonly seeds: ReadonlySet<string>
  private readonly silent = new Set<string>()
  private readonly allUp = Promise.withResolvers<void>()
  private readonly asForeign: AsForeign
  private topology: Topology = []
  private looking: Promise<void> | undefined
  private isClosed = false

  /** Connects at once. */
  constructor(url: RedisUrl, clock: Clock, events: ServersEvents) {
    this.url = url
    this.clock = clock
    this.events = events
    this.seeds = new Set(url.addresses.map(nameOf))
    this.asForeign = foreignValues(events.log, clock)
    for (const address of url.addresses) this.nodeAt(address)
  }

  /** Rejects with `RedisUnavailable`, at once if the server is known to be down. */
  evaluate(
    organization: number,
    script: Script,
    asked: (run: string) => ScriptArguments,
  ): Promise<Evaluated> {
    return this.askFor(organization, async (connection, isAsking) => {
      const { run } = connection
      const { keys, values } = asked(run)
      const evaluated = await connection
        .evaluate(script, { keys, values }, isAsking)
        .catch(async (error) => {
          const find = () => findForeign(connection, keys, isAsking)
          throw await this.asForeign(error, keys, find)
        })
      return { ...evaluated, run }
    })
  }

  /** Fields of a hash of the organization, and the server's run id. Rejects likewise. */
  fields(
    organization: number,
    key: string,
    names: (string | number)[],
  ): Promise<{ values: (Buffer | null)[]; run: string }> {
    return this.askFor(organization, async (connection, isAsking) => {
      const values = await connection.fields(key, names, isAsking).catch(async (error) => {
        throw await this.asForeign(error, [key], async () => key)
      })
      return { values, run: connection.run }
    })
  }

  /** Resolves once all servers answer. */
  whenUp(): Promise<void> {
    return this.allUp.promise
  }

  close(): void {
    this.isClosed = true
    for (const node of this.nodes.values()) node.close()
  }

  private nodeAt(address: Address): Node {
    const name = nameOf(address)
    let node = this.nodes.get(name)
    if (node === undefined) {
      node = openNode(address, this.url, this.clock, {
        up: () => {
          if (this.silent.delete(name)) this.events.log(`Redis answers again: ${name}`, 'info')
          void this.look()
          this.events.up()
        },
        down: (error) => {
          const isRefused = error.cause instanceof NotPermitted
          const event = isRefused ? 'Redis cannot be used' : 'Redis does not answer'
          if (!this.silent.has(name)) this.events.log(`${event}: ${error.message}`, 'error')
          this.silent.add(name)
          void this.look()
          this.events.down()
        },
      })
      this.nodes.set(name, node)
    }
    return node
  }

  /** Reads the topology again and again until all owners of slots answer. */
  private look(): Promise<void> {
    this.looking ??= (async () => {
      while (!this.isClosed) {
        await this.readFromAny()
        if (this.isUp()) break
        await pause(LOOK_EVERY_MS, undefined, { ref: false })
      }
      this.looking = undefined
      if (!this.isClosed) this.allUp.resolve()
    })()
    return this.looking
  }

  private async readFromAny(): Promise<void> {
    for (const node of this.nodes.values()) {
      const connection = node.connection()
      if (connection === undefined) continue
      try {
        return this.settle(await readTopology(node.address, connection))
      } catch (error) {
        // Try the next server. This one is asked again later.
        if (!(error instanceof RedisUnavailable)) throw error
      }
    }
  }

  private settle(read: Topology): void {
    if (this.isClosed) return
    const isNews = read.some((each, slot) => !isSame(each, this.topology[slot]))
    this.topology = read
    const masters = new Set(read.filter((each) => each !== undefined))
    const needed = new Set([...this.seeds, ...Array.from(masters, nameOf)])
    for (const master of masters) this.nodeAt(master)
    for (const [name, node] of this.nodes) {
      if (needed.has(name)) continue
      node.close()
      this.nodes.delete(name)
      this.silent.delete(name)
    }
    // A new owner may have been connected already.
    if (isNews) this.events.up()
  }

  private isUp(): boolean {
    if (this.topology.length === 0) return false
    const masters = new Set(this.topology)
    return [...masters].every((each) => each !== undefined && this.connectionTo(each) !== undefined)
  }

  private connectionTo(address: Address | undefined): Connection | undefined {
    return address === undefined ? undefined : this.nodes.get(nameOf(address))?.connection()
  }

  private async ask<T>(address: Address | undefined, isAsking: boolean, work: Work<T>): Promise<T> {
    const connection = this.connectionTo(address)
    if (connection === undefined) throw new RedisUnavailable('Redis does not answer just now.')
    return work(connection, isAsking)
  }

  /** Asks the owner of the organization's slot, and follows one redirection. */
  private async askFor<T>(organization: number, work: Work<T>): Promise<T> {
    const address = this.topology[keySlot(`${organization}`)]
    try {
      return await this.ask(address, false, work)
    } catch (error) {
      const redirection = address && redirectionOf(error, address)
      if (redirection === undefined) throw error
      this.nodeAt(redirection.address)
      if (redirection.isMoved) void this.look()
      return this.ask(redirection.address, !redirection.isMoved, work).catch((again) => {
        if (redirectionOf(again, redirection.address) === undefined) throw again
        // The two servers do not agree yet on the owner.
        throw new RedisUnavailable('A slot of the Cluster is being moved.', { cause: again })
      })
    }
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

/** Undefined if the error is not a redirection. `asked` is the server that sent it. */
function redirectionOf(error: unknown, asked: Address): Redirection | undefined {
  const [, kind, host, port] = REDIRECTION.exec((error as Error).message) ?? []
  if (kind === undefined) return undefined
  return { address: { host: host || asked.host, port: Number(port) }, isMoved: kind === 'MOVED' }
}

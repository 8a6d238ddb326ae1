import type { Address } from './address.ts'
import type { Connection } from './connection.ts'
import { SLOTS } from './key-slot.ts'
import { RedisUnavailable } from './unavailable.ts'

/** The server of each slot; undefined if no server has it at the moment. */
export type Topology = readonly (Address | undefined)[]

/** Reads the topology from a server. A server outside a Cluster owns all slots. */
export async function readTopology(asked: Address, connection: Connection): Promise<Topology> {
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
 * Where a reply redirects the caller: for all later calls, or for this one while a slot is being moved.
 */
export type Redirection = { address: Address; isForGood: boolean }

/** Undefined if the error is no redirection. `asked` is the server that sent it. */
export function redirectionOf(error: unknown, asked: Address): Redirection | undefined {
  const [, kind, host, port] = REDIRECTION.exec((error as Error).message) ?? []
  if (kind === undefined) return undefined
  return { address: { host: host || asked.host, port: Number(port) }, isForGood: kind === 'MOVED' }
}

const REDIRECTION = /^(MOVED|ASK) \d+ (.*):(\d+)$/

import type { Address } from './address.ts'
import type { Connection } from './connection.ts'
import { SLOTS } from './key-slot.ts'
import { RedisUnavailable } from './unavailable.ts'

/** Who answers for each slot; undefined for what nobody answers for just now. */
export type Topology = readonly (Address | undefined)[]

/** What a server says of its Cluster; one that is in none answers for everything. */
export async function readTopology(asked: Address, connection: Connection): Promise<Topology> {
  let ranges: SlotRange[]
  try {
    ranges = (await connection.command('CLUSTER', 'SLOTS')) as SlotRange[]
  } catch (error) {
    if (error instanceof RedisUnavailable) throw error
    // It has no Cluster, or does not let itself be asked.
    return new Array(SLOTS).fill(asked)
  }
  const topology: (Address | undefined)[] = new Array(SLOTS).fill(undefined)
  for (const [first, last, [host, port]] of ranges) {
    // A server that does not know its own address leaves it out: it is where it was asked.
    topology.fill({ host: host || asked.host, port }, first, last + 1)
  }
  return topology
}

type SlotRange = [first: number, last: number, master: [host: string | null, port: number]]

/** Where a reply sends the asker on to: for good, or for this once while a slot is being moved. */
export type Redirection = { address: Address; isForGood: boolean }

/** Undefined where the error is another. `asked` is who replied it. */
export function redirectionOf(error: unknown, asked: Address): Redirection | undefined {
  const [, kind, host, port] = REDIRECTION.exec((error as Error).message) ?? []
  if (kind === undefined) return undefined
  return { address: { host: host || asked.host, port: Number(port) }, isForGood: kind === 'MOVED' }
}

const REDIRECTION = /^(MOVED|ASK) \d+ (.*):(\d+)$/

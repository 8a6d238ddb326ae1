import { lookup } from 'node:dns/promises'
import { isLoopback } from '../../base/domain/common/fetching.ts'

/** Host and port of a server. */
export type Address = { readonly host: string; readonly port: number }

export function nameOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The parts of a Redis URL. */
export type RedisUrl = {
  /** For a Cluster, the servers that are asked for all others. */
  addresses: Address[]
  username: string | undefined
  password: string | undefined
  database: number
  tls: boolean
  /** How long a server may take to answer, in milliseconds. */
  timeoutMs: number
}

const FORM =
  /^(rediss?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]+)(?:\/(\d*))?\/?(?:\?timeout=(\d{1,5}))?$/

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/

const DEFAULT_PORT = 6379

const DEFAULT_TIMEOUT_MS = 100

const SHORTEST_TIMEOUT_MS = 10

/**
 * Parses `redis://[user:password@]host[:port][,host[:port]…][/database][?timeout=ms]`, with `rediss` for
 * TLS. For a Cluster, give any of its servers, or several in case one is down. The servers report whether
 * they form a Cluster. Null if the form differs.
 */
export function parseRedisUrl(url: string): RedisUrl | null {
  const [, scheme, username, password, hosts, database, timeout] = FORM.exec(url) ?? []
  if (hosts === undefined) return null
  const addresses = hosts.split(',').map(parseAddress)
  const timeoutMs = Number(timeout ?? DEFAULT_TIMEOUT_MS)
  if (addresses.includes(null) || timeoutMs < SHORTEST_TIMEOUT_MS) return null
  try {
    return {
      addresses: addresses as Address[],
      username: username ? decodeURIComponent(username) : undefined,
      password: password ? decodeURIComponent(password) : undefined,
      database: Number(database ?? 0),
      tls: scheme === 'rediss',
      timeoutMs,
    }
  } catch {
    return null
  }
}

function parseAddress(text: string): Address | null {
  const [, host, port] = ADDRESS.exec(text) ?? []
  if (host === undefined || Number(port ?? DEFAULT_PORT) > 65_535) return null
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? DEFAULT_PORT) }
}

/** Checks a Redis before a server uses it. Returns warnings for the operator, a sentence each. */
export async function checkForServing({ tls, addresses }: RedisUrl): Promise<string[]> {
  if (tls) return []
  const found = await Promise.all(addresses.map(({ host }) => lookup(host).catch(() => undefined)))
  const peers = found
    .map((each) => each?.address)
    .filter((address) => address !== undefined && !isLoopback(address))
  if (peers.length === 0) return []
  return [
    `the connection to Redis at ${peers.join(', ')} is not encrypted, so others on the way can read and change what is sent: turn on TLS there, and give rediss:// in its URL`,
  ]
}

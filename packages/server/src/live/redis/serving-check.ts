import { lookup } from 'node:dns/promises'
import { isLoopback } from '../../domain/common/fetching.ts'
import type { RedisUrl } from './redis-url.ts'

/** Looks at a Redis before it is served with. Returns what the operator should know, a sentence each. */
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

import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'

/** The address of a client, as the log shows it. */
export type AddressOf = (message: IncomingMessage) => string

/**
 * The peer's address. Behind trusted proxies (addresses, CIDR ranges, or `loopback`, `linklocal`,
 * `uniquelocal`) the nearest address in `X-Forwarded-For` that is not trusted. Throws a TypeError if an
 * entry is none of these.
 */
export function addressReader(trustedProxies: string[]): AddressOf {
  if (trustedProxies.length === 0) return (message) => message.socket.remoteAddress ?? ''
  const isTrusted = proxyAddress.compile(trustedProxies)
  return (message) => proxyAddress(message, isTrusted) ?? ''
}

/** Whether an address is loopback or a trusted proxy's, as in `addressReader`. */
export function loopbackOrProxy(trustedProxies: string[]): (address: string) => boolean {
  const matches = proxyAddress.compile(['loopback', ...trustedProxies])
  return (address) => matches(address, 0)
}

import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'

/** The address that a request came from, as the log names it. */
export type AddressOf = (message: IncomingMessage) => string

/**
 * The peer's address; behind proxies that are trusted (addresses, CIDR ranges, or `loopback`,
 * `linklocal`, `uniquelocal`), the nearest one of `X-Forwarded-For` that is not. Throws a TypeError
 * where an entry is none of these.
 */
export function addressReader(trustedProxies: string[]): AddressOf {
  if (trustedProxies.length === 0) return (message) => message.socket.remoteAddress ?? ''
  const isTrusted = proxyAddress.compile(trustedProxies)
  return (message) => proxyAddress(message, isTrusted) ?? ''
}

/** Whether an address is loopback or that of a trusted proxy, as `addressReader` takes them. */
export function loopbackOrProxy(trustedProxies: string[]): (address: string) => boolean {
  const matches = proxyAddress.compile(['loopback', ...trustedProxies])
  return (address) => matches(address, 0)
}

import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'

/** The address of a client, as the log shows it. */
export type AddressOf = (message: IncomingMessage) => string

/** The most proxies between a client and the server. */
const MAX_PROXIES = 20
/** No address is longer, but a proxy may name any text as one. */
const MAX_ADDRESS_LENGTH = 45

/**
 * The peer's address. Behind trusted proxies (addresses, CIDR ranges, or `loopback`, `linklocal`, `uniquelocal`) the
 * nearest address in `X-Forwarded-For` that is not trusted. Throws a TypeError for any other entry. A client can fill
 * the header with trusted addresses, so only the `MAX_PROXIES` nearest count.
 */
export function addressReader(trustedProxies: string[]): AddressOf {
  if (trustedProxies.length === 0) return (message) => message.socket.remoteAddress ?? ''
  const isTrusted = proxyAddress.compile(trustedProxies)
  return ({ socket, headers }) => {
    const forwarded = nearest(headers['x-forwarded-for']?.toString() ?? '')
    const request = { socket, headers: { 'x-forwarded-for': forwarded } }
    const address = proxyAddress(request as unknown as IncomingMessage, isTrusted) ?? ''
    return address.slice(0, MAX_ADDRESS_LENGTH)
  }
}

/** The last addresses of a list: those that the nearest proxies have added. */
function nearest(list: string): string {
  let from = list.length
  for (let remaining = MAX_PROXIES; remaining > 0 && from > 0; remaining -= 1) {
    from = list.lastIndexOf(',', from - 1)
  }
  return list.slice(from + 1)
}

/** Whether an address is loopback or a trusted proxy's, as in `addressReader`. */
export function loopbackOrProxy(trustedProxies: string[]): (address: string) => boolean {
  const matches = proxyAddress.compile(['loopback', ...trustedProxies])
  return (address) => matches(address, 0)
}

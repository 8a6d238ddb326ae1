import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback } from '../domain/common/fetching.ts'

/** The address of a listener, such as `http://127.0.0.1:7070`. */
export function originOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

/** The address at which other machines reach a listener on all addresses: the machine's first one. */
export function fromOutside(address: AddressInfo): AddressInfo {
  if (!['0.0.0.0', '::'].includes(address.address)) return address
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outer = own.find(({ internal, family }) => !internal && family === 'IPv4')
  return outer === undefined
    ? reachable(address)
    : { ...address, address: outer.address, family: 'IPv4' }
}

/** The address at which the machine itself reaches a listener on all addresses. */
export function reachable(address: AddressInfo): AddressInfo {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address]
  return { ...address, address: loopback ?? address.address }
}

/** A warning if keys would cross a network unencrypted. */
export function plainHttpWarnings(api: AddressInfo | null, isTls: boolean): string[] {
  if (api === null || isTls || isLoopback(api.address)) return []
  return [
    `plain HTTP on ${api.address} sends API keys unencrypted; give --tls-cert and --tls-key, or end TLS in a proxy`,
  ]
}

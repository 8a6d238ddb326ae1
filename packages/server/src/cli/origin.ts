import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback } from '../domain/loopback.ts'
import { say } from './failure.ts'

/** Where a listener is reached, such as `http://127.0.0.1:7070`. */
export function originOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

/** Where others on its network reach a listener on all of the machine's addresses: on its first one there. */
export function fromOutside(address: AddressInfo): AddressInfo {
  if (!['0.0.0.0', '::'].includes(address.address)) return address
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outer = own.find(({ internal, family }) => !internal && family === 'IPv4')
  return outer === undefined
    ? reachable(address)
    : { ...address, address: outer.address, family: 'IPv4' }
}

/** Where the machine itself reaches a listener on all of its addresses. */
export function reachable(address: AddressInfo): AddressInfo {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address]
  return { ...address, address: loopback ?? address.address }
}

export function warnOfPlainHttp(api: AddressInfo | null, isTls: boolean): void {
  if (api === null || isTls || isLoopback(api.address)) return
  say(
    `plain HTTP on ${api.address} sends API keys unencrypted; give --tls-cert and --tls-key, or end TLS in a proxy`,
  )
}

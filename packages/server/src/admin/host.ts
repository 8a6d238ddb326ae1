import { isIP } from 'node:net'

const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::\d+)?$/i

/**
 * Whether a request's `Host` is this machine's: an IP address, localhost, or one of `names`, in lower
 * case. After a page was loaded, DNS can point any other name to this machine (DNS rebinding), and the
 * browser would let that page read the answers. A request without `Host` is a probe, because browsers
 * always send one.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined || host === '') return true
  const [, ipv6, name = ''] = HOST.exec(host.toLowerCase()) ?? []
  if (ipv6 !== undefined) return isIP(ipv6) === 6
  return isIP(name) === 4 || /^(?:.+\.)?localhost$/.test(name) || names.includes(name)
}

import { isIP } from 'node:net'

const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::\d+)?$/i

/**
 * Whether the `Host` of a request is this machine's: an IP address, localhost, or one of `names`, in lower
 * case. DNS can make any other name mean this machine after its page was loaded (DNS rebinding), and the
 * browser then lets that page read the answers. Without a `Host` it is a probe: browsers always send one.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined || host === '') return true
  const [, ipv6, name = ''] = HOST.exec(host.toLowerCase()) ?? []
  if (ipv6 !== undefined) return isIP(ipv6) === 6
  return isIP(name) === 4 || /^(?:.+\.)?localhost$/.test(name) || names.includes(name)
}

import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** The addresses of a host name, at least one. Rejects without one, and when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

/** `servers`: name servers in place of the system's. `hostsFile`: the names that the system knows without them. */
type ResolverOptions = { servers?: readonly string[]; hostsFile?: string }

const HOSTS_FILE = '/etc/hosts'

/** A name server that is silent is asked again, and the next one, within the deadline of a delivery. */
const QUERIES = { timeout: 2_000, tries: 3 }

/**
 * Resolves names by the hosts file and by DNS, without `getaddrinfo`: that takes one of the two threads on which Node.js
 * resolves all names of the process, and cannot be ended. A few names whose servers never answer would hold up the
 * deliveries of everybody, and the connections to databases.
 */
export function resolverOf({ servers, hostsFile = HOSTS_FILE }: ResolverOptions = {}): Resolve {
  return async (host, signal) => {
    const name = host.replace(/\.$/, '').toLowerCase()
    const known = await addressesInFile(hostsFile, name)
    return known.length > 0 ? known : ask(name, signal)
  }

  async function ask(name: string, signal: AbortSignal): Promise<string[]> {
    signal.throwIfAborted()
    // A resolver of its own, because `cancel` ends all queries of a resolver and closes its sockets.
    const resolver = new Resolver(QUERIES)
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const queries = [resolver.resolve4(name), resolver.resolve6(name)]
      const answers = await Promise.allSettled(queries)
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      if (found.length > 0) return found
      throw new NotResolved(answers.every(saysAbsent))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** No address was found. The message does not name the host. */
export class NotResolved extends Error {
  override name = 'NotResolved'

  /** `isUnknown`: because the name has none, and not because nobody answered. */
  constructor(isUnknown: boolean) {
    super(isUnknown ? 'the host name is unknown' : 'the host name could not be resolved')
  }
}

function saysAbsent(answer: PromiseSettledResult<unknown>): boolean {
  if (answer.status === 'fulfilled') return true
  return ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(answer.reason.code)
}

async function addressesInFile(file: string, name: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const isNamed = names.some((each) => each.toLowerCase() === name)
    return isNamed && isIP(address) > 0 ? [address] : []
  })
}

/** Whether a delivery may connect to an address. */
export type IsReachable = (address: string) => boolean

/**
 * IPv4 networks that are not the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry,
 * with multicast and the reserved class E.
 */
const IPV4_ELSEWHERE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** All of IPv6 outside of 2000::/3 is elsewhere too: loopback, unique local, link-local, multicast. */
const IPV6_GLOBAL = '2000::/3'

/** Tunnels (which hold an IPv4 address), documentation and protocol assignments. */
const IPV6_ELSEWHERE = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** IPv6 forms of an IPv4 address, which is in their last 32 bits: mapped, and NAT64 (RFC 6052). */
const IPV4_WITHIN = ['::ffff:0:0/96', '64:ff9b::/96']

/**
 * Only addresses of the public internet are reachable, and those of the networks that the operator allows
 * (in CIDR notation).
 */
export function reachableUnless(allowed: readonly string[]): IsReachable {
  const isPermitted = reachableIn(allowed)
  const elsewhere = listOf([...IPV4_ELSEWHERE, ...IPV6_ELSEWHERE])
  const global = listOf([IPV6_GLOBAL])
  const within = listOf(IPV4_WITHIN)

  return function isReachable(address) {
    if (isPermitted(address)) return true
    if (isIPv4(address)) return !elsewhere.check(address)
    // An address with a zone is link-local.
    if (!isIPv6(address) || address.includes('%')) return false
    if (within.check(address, 'ipv6')) return isReachable(lastAsIpv4(address))
    return global.check(address, 'ipv6') && !elsewhere.check(address, 'ipv6')
  }
}

/** Only addresses of the networks that the operator allows, as messages without TLS need. */
export function reachableIn(allowed: readonly string[]): IsReachable {
  const permitted = listOf(allowed)
  return (address) =>
    isIPv4(address)
      ? permitted.check(address)
      : isIPv6(address) && !address.includes('%') && permitted.check(address, 'ipv6')
}

/** Throws a `RangeError` if a network is not in CIDR notation. */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(network) ?? []
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (!isIPv4(address) && (!isIPv6(address) || address.includes('%'))) {
      throw new RangeError(`${network} is not a network such as 10.0.0.0/8`)
    }
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
function lastAsIpv4(address: string): string {
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  // Gives the address one form, in which the last groups may be shortened to `::`.
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const groups = written.replace(/::$/, ':0:0').split(':').slice(-2)
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

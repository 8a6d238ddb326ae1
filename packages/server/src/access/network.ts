import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** A proxy may send text that is not an address as the client's address. */
const NO_NETWORK = 'unknown'

/**
 * The network of an address: the /24 of IPv4, the /64 of IPv6. A client of IPv6 commonly has a whole /64
 * (RFC 6177), and a customer of IPv4 several neighbouring addresses.
 */
export function networkOf(address: string): string {
  return placesOf(address).at(-1)!
}

/**
 * The places of a client, the narrowest first: its address, then its network. An IPv6 client changes its
 * address often, so only its network counts.
 */
export function placesOf(address: string): string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain)) return [plain, `${plain.split('.').slice(0, 3).join('.')}.0/24`]
  return [isIPv6(plain) ? network64(plain) : NO_NETWORK]
}

function network64(address: string): string {
  // Gives an IPv6 address one form: lower case, without leading zeros.
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const [head, tail] = written.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array(8 - head!.length - (tail?.length ?? 0)).fill('0')
  const first = [...head!, ...zeros, ...(tail ?? [])].slice(0, 4)
  return `${new SocketAddress({ address: `${first.join(':')}::`, family: 'ipv6' }).address}/64`
}

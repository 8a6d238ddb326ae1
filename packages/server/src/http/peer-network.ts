const MAPPED = /^::ffff:(?=\d+\.)/i
/** Groups of 16 bits of an IPv6 address that name its network. */
const NETWORK_GROUPS = 4

/**
 * What one client may have all addresses of: an IPv4 address, or the /64 that an IPv6 address is in.
 * `address`: as a socket tells it.
 */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const following = tail === undefined || tail === '' ? [] : tail.split(':')
  // `::` stands for the groups that are missing, all of which are 0.
  while (tail !== undefined && groups.length + following.length < 8) groups.push('0')
  return `${[...groups, ...following].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

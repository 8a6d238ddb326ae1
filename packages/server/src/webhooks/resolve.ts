import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** The addresses of a host name, at least one. Rejects without one, and when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

/** `servers`: name servers in place of the system's. `hostsFile`: the names that the system knows without them. */
export type ResolverOptions = { servers?: readonly string[]; hostsFile?: string }

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

import { readdirSync, readFileSync } from 'node:fs'

/** A listener with fewer connections could not serve. */
const MIN_CONNECTIONS = 4

/**
 * The number of connections that each of `listeners` may keep open. Each takes a file descriptor, and
 * `reserved` descriptors stay free for everything else. Infinity if the system does not tell its limit;
 * only Linux does. Throws if there are too few.
 */
export function connectionsOfEach(listeners: number, reserved: number): number {
  const limit = openFilesLimit()
  if (limit === Infinity) return Infinity
  const open = readdirSync('/proc/self/fd').length
  const each = Math.floor((limit - open - reserved) / listeners)
  if (each >= MIN_CONNECTIONS) return each
  const needed = open + reserved + listeners * MIN_CONNECTIONS
  throw new Error(
    `the system lets this process open ${limit} files, and it needs at least ${needed}: raise the limit with 'ulimit -n', or with LimitNOFILE in a systemd unit`,
  )
}

/** Node has already raised the limit to the highest allowed one. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

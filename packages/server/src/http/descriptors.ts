import { readdirSync, readFileSync } from 'node:fs'

/** A listener that may have fewer connections would serve nobody. */
const MIN_CONNECTIONS = 4

/**
 * How many connections each of so many listeners may keep open. Each takes a file descriptor, and `reserved`
 * descriptors must stay free for everything else that the process opens. Infinity where the system does not
 * tell the limit, which only Linux does. Throws where there are too few.
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

/** Node has raised the limit to the highest that the process may have. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

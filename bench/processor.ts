import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** The measured server has this processor to itself; the load runs on the other. */
export const SERVER_PROCESSOR = 0
export const CLIENT_PROCESSOR = 1

/** Allows a pinned process to use all processors again. */
export function unpin(pid: number): void {
  const last = cpus().length - 1
  execFileSync('taskset', ['-acp', `0-${last}`, String(pid)], { stdio: 'ignore' })
}

/** The same for a process and all its descendants. Some may end meanwhile. */
export function unpinFamily(pid: number): void {
  unpin(pid)
  for (const child of childrenOf(pid)) {
    try {
      unpinFamily(child)
    } catch (error) {
      if (existsSync(`/proc/${child}`)) throw error
    }
  }
}

/** Pins a process and all its threads to one processor; warns once if that is impossible. */
export function pin(pid: number, processor: number): void {
  try {
    if (cpus().length <= processor) throw new RangeError('no such processor')
    execFileSync('taskset', ['-acp', String(processor), String(pid)], { stdio: 'ignore' })
  } catch {
    process.stderr.write(`process ${pid} could not be pinned to processor ${processor}\n`)
  }
}

/**
 * Gives the timing thread of a process priority over other work of its processor. If that is not allowed, the
 * figures include the delays.
 */
export function goFirst(pid: number): void {
  try {
    execFileSync('chrt', ['--fifo', '--reset-on-fork', '--pid', '1', String(pid)], {
      stdio: 'ignore',
    })
  } catch {
    process.stderr.write(`process ${pid} could not be given precedence\n`)
  }
}

const TICKS_PER_SECOND = 100

/** Seconds of processor time of a process, user and system, in steps of 10 ms (Linux). */
export function processorSeconds(pid: number): number {
  const { own } = ticksOf(pid)
  return own / TICKS_PER_SECOND
}

/**
 * The same with a precision of microseconds, for bursts of a few ticks. Counts only existing threads, so it suits
 * processes whose threads do not end, and is exact while the process sleeps (Linux).
 */
export function threadSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return sum + Number(nanoseconds) / 1e9
  }, 0)
}

/** `processorSeconds` of a process and all its descendants, including ended ones. */
export function familyProcessorSeconds(pid: number): number {
  for (;;) {
    const { own, ended } = ticksOf(pid)
    try {
      return childrenOf(pid).reduce(
        (sum, child) => sum + familyProcessorSeconds(child),
        (own + ended) / TICKS_PER_SECOND,
      )
    } catch (error) {
      // A process has ended meanwhile, and now counts among the ended children.
      if (ticksOf(pid).ended === ended) throw error
    }
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number)
}

/** `ended`: ticks of the children that the process has waited for. */
function ticksOf(pid: number): { own: number; ended: number } {
  const [user, system, endedUser, endedSystem] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11)
    .map(Number) as [number, number, number, number]
  return { own: user + system, ended: endedUser + endedSystem }
}

/** Resident memory of a process in bytes (Linux). */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

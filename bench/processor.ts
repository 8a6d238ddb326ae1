import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** The measured server has one processor to itself, whatever loads it the other. */
export const SERVER_PROCESSOR = 0
export const CLIENT_PROCESSOR = 1

/** Lets a process that was pinned have all processors again, as it has where nobody measures. */
export function unpin(pid: number): void {
  const last = cpus().length - 1
  execFileSync('taskset', ['-acp', `0-${last}`, String(pid)], { stdio: 'ignore' })
}

/** The same of a process and of all that it has started. */
export function unpinFamily(pid: number): void {
  unpin(pid)
  for (const child of childrenOf(pid)) unpinFamily(child)
}

/** Keeps a process and all its threads on one processor; where that cannot be, says so once. */
export function pin(pid: number, processor: number): void {
  try {
    if (cpus().length <= processor) throw new RangeError('no such processor')
    execFileSync('taskset', ['-acp', String(processor), String(pid)], { stdio: 'ignore' })
  } catch {
    process.stderr.write(`process ${pid} could not be pinned to processor ${processor}\n`)
  }
}

/**
 * Lets the thread of a process that times requests run as soon as there is something for it, before whoever
 * else loads its processor; where that is not allowed, the figures tell of both.
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

/** Seconds of processor time that a process has used, user and system, in steps of 10 ms (Linux). */
export function processorSeconds(pid: number): number {
  const { own } = ticksOf(pid)
  return own / TICKS_PER_SECOND
}

/**
 * The same to the microsecond, for bursts that last a few ticks: of the threads that there are, so not
 * of a process whose threads end meanwhile, and true of one that sleeps at the moment (Linux).
 */
export function threadSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return sum + Number(nanoseconds) / 1e9
  }, 0)
}

/** `processorSeconds` of a process and of all that it started, those that have ended included. */
export function familyProcessorSeconds(pid: number): number {
  for (;;) {
    const { own, ended } = ticksOf(pid)
    try {
      return childrenOf(pid).reduce(
        (sum, child) => sum + familyProcessorSeconds(child),
        (own + ended) / TICKS_PER_SECOND,
      )
    } catch (error) {
      // One has ended meanwhile, and is counted among those that have.
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

/** `ended`: of the children that the process has waited for. */
function ticksOf(pid: number): { own: number; ended: number } {
  const [user, system, endedUser, endedSystem] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11)
    .map(Number) as [number, number, number, number]
  return { own: user + system, ended: endedUser + endedSystem }
}

/** Bytes of a process that are in memory (Linux). */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** The measured server has one processor to itself, whatever loads it the other. */
export const SERVER_PROCESSOR = 0
export const CLIENT_PROCESSOR = 1

/** Lets a process that was pinned have all processors again, as it has where nobody measures. */
export function unpin(pid: number): void {
  const last = cpus().length - 1
  execFileSync('taskset', ['-acp', `0-${last}`, String(pid)], { stdio: 'ignore' })
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

const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process has used, user and system (Linux). */
export function processorSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND
}

/** Bytes of a process that are in memory (Linux). */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

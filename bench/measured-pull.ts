import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { BIN } from './child-server.ts'

/** A run of `fleetgate pull`. */
export type MeasuredPull = {
  requests: number
  changes: number
  positions: number
  seconds: number
  /** The most memory that was resident. */
  peakBytes: number
  /** Seconds of processor time. */
  used: number
}

const SAMPLE_MS = 200

/** Runs `fleetgate pull` to its end, and measures it from outside. Rejects if it fails. */
export async function measuredPull(args: string[], key: string): Promise<MeasuredPull> {
  const child = spawn(process.execPath, [BIN, 'pull', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FLEETGATE_API_KEY: key },
  })
  const printed = text(child.stdout)
  let [peakBytes, used] = [0, 0]
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, statusOf(child.pid!, 'VmHWM') * 1024)
    used = Math.max(used, secondsOf(child.pid!))
  }, SAMPLE_MS)
  const [code] = await once(child, 'exit').finally(() => clearInterval(sampling))
  if (code !== 0) throw new Error(`the pull ended with code ${code}`)
  const { requests, changes, positions, seconds } = JSON.parse(await printed)
  return { requests, changes, positions, seconds, peakBytes, used }
}

function statusOf(pid: number, name: string): number {
  return numberIn(`/proc/${pid}/status`, new RegExp(`^${name}:\\s+(\\d+)`, 'm'))
}

const TICKS_PER_SECOND = 100

function secondsOf(pid: number): number {
  const user = numberIn(`/proc/${pid}/stat`, /\) (?:\S+ ){11}(\d+)/)
  const system = numberIn(`/proc/${pid}/stat`, /\) (?:\S+ ){12}(\d+)/)
  return (user + system) / TICKS_PER_SECOND
}

/** Zero after the end of the process. */
function numberIn(file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

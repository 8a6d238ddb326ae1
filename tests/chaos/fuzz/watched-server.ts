import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { start } from '../../acceptance/harness/fleetgate.ts'

/** A `fleetgate serve` with the few records that a judge needs. */
export type WatchedServer = {
  port: number
  feedPort: number
  /** The first few log lines about a failure. */
  failures: string[]
  /** Number of log lines about the watched organization. */
  watchedLines(): number
  stderr(): string
  /** Resident memory in MB, 0 after its end. */
  residentMb(): number
  isGone(): boolean
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>
}

const MAX_KEPT = 20

/** Starts it with a data folder on free ports. `watched`: the id of an organization. */
export async function startWatched(folder: string, watched: number): Promise<WatchedServer> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
  // Geocoded addresses would change the answer to the same request.
  const child = start(['serve', '--data', folder, '--geocoder', 'off', ...ports, '--json'])
  const ended = once(child, 'exit')
  const failures: string[] = []
  const mark = `"organization":${watched},`
  let watchedLines = 0
  let rest = ''
  let stderr = ''
  let addresses: { api: string; feed: string } | undefined
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(0, 10_000)
  })
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    // Most blocks contain nothing of interest: splitting each would cost as much as the judging.
    const block = rest + text
    const end = block.lastIndexOf('\n') + 1
    rest = block.slice(end)
    const whole = block.slice(0, end)
    if (addresses === undefined && end > 0) addresses = JSON.parse(whole.split('\n')[0]!)
    if (!whole.includes('"level":50') && !whole.includes(mark)) return
    for (const line of whole.split('\n')) {
      if (line.includes(mark)) watchedLines++
      if (line.includes('"level":50') && failures.length < MAX_KEPT) failures.push(line)
    }
  })
  while (addresses === undefined) {
    await Promise.race([once(child.stdout, 'data'), ended])
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}\n${stderr}`)
  }
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  return {
    port: Number(new URL(addresses.api).port),
    feedPort: Number(new URL(addresses.feed).port),
    failures,
    watchedLines: () => watchedLines,
    stderr: () => stderr,
    residentMb: () => (isGone() ? 0 : residentMb(child.pid!)),
    isGone,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

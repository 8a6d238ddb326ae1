import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { start } from '../../acceptance/harness/fleetgate.ts'

/** A `fleetgate serve` of which no more is kept than what a judge asks. */
export type WatchedServer = {
  port: number
  feedPort: number
  /** Lines of its log that tell of a failure, the first few. */
  failures: string[]
  /** Lines of its log about the organization that is watched. */
  watchedLines(): number
  stderr(): string
  /** MB of memory that it holds now, 0 where it is gone. */
  residentMb(): number
  isGone(): boolean
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>
}

const MOST_KEPT = 20

/** Starts it over a data folder on free ports. `watched`: the id of an organization. */
export async function startWatched(folder: string, watched: number): Promise<WatchedServer> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
  // Addresses that were found meanwhile would change what the same question is answered.
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
    // Most blocks hold nothing of interest: to split each would cost as much as the judging.
    const block = rest + text
    const end = block.lastIndexOf('\n') + 1
    rest = block.slice(end)
    const whole = block.slice(0, end)
    if (addresses === undefined && end > 0) addresses = JSON.parse(whole.split('\n')[0]!)
    if (!whole.includes('"level":50') && !whole.includes(mark)) return
    for (const line of whole.split('\n')) {
      if (line.includes(mark)) watchedLines++
      if (line.includes('"level":50') && failures.length < MOST_KEPT) failures.push(line)
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

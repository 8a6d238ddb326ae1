import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { start } from '../acceptance/harness/fleetgate.ts'

/** A `fleetgate serve` that receives signals. */
export type SignalledServer = {
  port: number
  feedPort: number
  /** Base address of the admin listener. */
  admin: string
  pid: number
  signal(name: NodeJS.Signals): void
  /** Its exit code after it has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Resolves after this text has appeared this often on its stderr. */
  says(what: string, times: number): Promise<void>
  stderr(): string
  /** The first few log lines about a failure; other lines are dropped. */
  failures: string[]
}

const MAX_KEPT = 20

/** Starts it, by default on free ports, and resolves when it prints its addresses. */
export async function startServer(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<SignalledServer> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
  const child = start(['serve', '--geocoder', 'off', ...ports, '--json', ...args], env)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const lines = createInterface({ input: child.stdout })
  const gone = ended.then((code) => {
    throw new Error(`serve ended with ${code}\n${stderr}`)
  })
  const [greeting] = await Promise.race([once(lines, 'line'), gone])
  gone.catch(() => {})
  const failures: string[] = []
  lines.on('line', (line) => {
    if (line.startsWith('{"level":50') && failures.length < MAX_KEPT) failures.push(line)
  })
  const { api, feed, admin } = JSON.parse(greeting as string)
  return {
    port: Number(new URL(api).port),
    feedPort: Number(new URL(feed).port),
    admin,
    pid: child.pid!,
    signal: (name) => void child.kill(name),
    ended,
    async says(what, times) {
      while (stderr.split(what).length <= times) {
        await Promise.race([once(child.stderr, 'data'), gone])
      }
    },
    stderr: () => stderr,
    failures,
  }
}

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { on, once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Deployment } from './deployment.ts'
import { type Json, start } from './fleetgate.ts'

/** A running server, in this process or in one of its own. */
export type Server = {
  /**
   * Base address of the public listener without the prefix, and its port; undefined if the role has no such
   * listener.
   */
  api: string
  port: number
  admin: string
  /** Base address of the feed listener. */
  feed: string
  /** The lines of its log. */
  readonly log: Json[]
  /** Resolves with the first entry of the log that this function accepts. */
  logged(isIt: (entry: Json) => boolean): Promise<Json>
  /** Resolves with the link that sets a password, and with the secrets of the demo. */
  secrets(): Promise<Json>
  /** Finishes what is in flight. */
  stop(): Promise<unknown>
}

/** A running `fleetgate serve`. */
export type ServerProcess = Server & {
  pid: number
  stderr(): string
  /** Resolves once its standard error has a line like this. */
  printed(line: RegExp): Promise<void>
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>
}

/**
 * Starts a process that serves on free ports and resolves when it reports its addresses. `openFiles`: the limit on open files.
 */
export async function serve(
  deployment: Deployment,
  args: string[] = [],
  env: Record<string, string> = {},
  openFiles?: number,
): Promise<ServerProcess> {
  const place = [...deployment.args, ...deployment.serveArgs]
  return served(start(['serve', ...place, ...ON_FREE_PORTS, ...args], env, openFiles))
}

/** The arguments with which a server takes free ports and says so in JSON. */
export const ON_FREE_PORTS = ['--port', '0', '--admin-port', '0', '--feed-port', '0', '--json']

/** Resolves once a server that was started with `ON_FREE_PORTS` says where it listens. */
export async function served(child: ChildProcessWithoutNullStreams): Promise<ServerProcess> {
  const ended = once(child, 'exit')
  const log: Json[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const lines = createInterface({ input: child.stderr })
  const secrets = new Promise<Json>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line))
    })
  })
  const output = createInterface({ input: child.stdout })
  const addresses = new Promise<Json>((resolve, reject) => {
    output.on('line', (line) => {
      const entry = JSON.parse(line)
      // Other entries may precede the addresses.
      if ('admin' in entry) resolve(entry)
      log.push(entry)
    })
    ended.then(([code]) => reject(new Error(`serve ended with ${code}\n${stderr}`)), reject)
  })
  const { api, admin, feed } = await addresses
  return {
    api,
    port: api === null ? 0 : Number(new URL(api).port),
    admin,
    feed,
    pid: child.pid!,
    log,
    stderr: () => stderr,
    async printed(line) {
      if (line.test(stderr)) return
      for await (const [each] of on(lines, 'line', { close: ['close'] }))
        if (line.test(each)) return
      throw new Error(`serve ended without ${line}\n${stderr}`)
    },
    async logged(isIt) {
      const found = log.find(isIt)
      if (found !== undefined) return found
      for await (const [line] of on(output, 'line', { close: ['close'] })) {
        const entry = JSON.parse(line)
        if (isIt(entry)) return entry
      }
      throw new Error(`serve ended without the entry\n${stderr}`)
    },
    secrets: () => secrets,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

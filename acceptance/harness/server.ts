import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Deployment } from './deployment.ts'
import { type Json, start } from './fleetgate.ts'

/** A running `fleetgate serve`. */
export type Server = {
  /** Base address of the public listener, without the prefix, and its port; of a role that has it. */
  api: string
  port: number
  admin: string
  /** Base address of the listener that positions are sent to. */
  feed: string
  pid: number
  /** What it has logged on standard output so far, a line each, and all of its standard error. */
  log: Json[]
  stderr(): string
  /** Resolves with the secrets that it tells on standard error: the link that sets a password, the demo's key. */
  secrets(): Promise<Json>
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>
}

/**
 * Starts a server on free ports and resolves once it says where it listens. `openFiles`: how many files
 * the system lets it open.
 */
export async function serve(
  deployment: Deployment,
  args: string[] = [],
  env: Record<string, string> = {},
  openFiles?: number,
): Promise<Server> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0']
  const place = [...deployment.args, ...deployment.serveArgs]
  const child = start(['serve', ...place, ...ports, '--json', ...args], env, openFiles)
  const ended = once(child, 'exit')
  const log: Json[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const secrets = new Promise<Json>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line))
    })
  })
  const addresses = new Promise<Json>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line)
      // Something may be logged before that.
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

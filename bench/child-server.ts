import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../packages/server/testing/servers/free-port.ts'
import { pin, SERVER_PROCESSOR } from './processor.ts'
import { profileFolder } from './report.ts'

/** A measured server: a separate process that ends on disposal. */
export type ChildServer = AsyncDisposable & { port: number; pid: number }
/** The same with the ports of its feed and of the console. */
export type ChildFleetgate = ChildServer & { feedPort: number; adminPort: number }

export const BIN = join(import.meta.dirname, '../packages/server/bin/fleetgate.js')
const PROFILED =
  profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
const START_TIMEOUT_MS = 120_000
const ATTEMPTS = 3

/** Starts `fleetgate serve` as an operator would: with default limits, and its log in a file of the folder. */
export async function startFleetgate(
  folder: string,
  place: readonly string[] = ['--data', folder],
  bin = BIN,
): Promise<ChildFleetgate> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onFreePorts(folder, place, bin)
    } catch (error) {
      // Another program may take a free port before the server listens on it.
      const said = readFileSync(join(folder, 'serve.log'), 'utf8')
      if (attempt === ATTEMPTS || !said.includes('is already in use'))
        throw new Error(said, { cause: error })
    }
  }
}

async function onFreePorts(
  folder: string,
  place: readonly string[],
  bin: string,
): Promise<ChildFleetgate> {
  const [port, feedPort, adminPort] = [await freePort(), await freePort(), await freePort()]
  const ports = ['--port', `${port}`, '--feed-port', `${feedPort}`, '--admin-port', `${adminPort}`]
  const log = openSync(join(folder, 'serve.log'), 'w')
  const child = spawn(process.execPath, [...PROFILED, bin, 'serve', ...place, ...ports], {
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const server = serverOf(child, port)
  await answering(child, `http://127.0.0.1:${port}/public/v1/ping`, join(folder, 'serve.log'))
  return { ...server, feedPort, adminPort }
}

/**
 * Starts one of the comparison servers of this folder, which sends its port. Its output goes to the log file, or
 * else to the output of this process.
 */
export async function startYardstick(
  file: string,
  args: string[],
  logFile?: string,
): Promise<ChildServer> {
  const log = logFile === undefined ? 'inherit' : openSync(logFile, 'w')
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', log, log, 'ipc'],
  })
  if (typeof log === 'number') closeSync(log)
  const [port] = await Promise.race([once(child, 'message'), died(child, file)])
  return serverOf(child, port as number)
}

function serverOf(child: ChildProcess, port: number): ChildServer {
  const pid = child.pid!
  pin(pid, SERVER_PROCESSOR)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    port,
    pid,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function answering(child: ChildProcess, url: string, log: string): Promise<void> {
  const death = died(child, `fleetgate serve (see ${log})`)
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const answer = await Promise.race([fetch(url).catch(() => undefined), death])
    if (answer?.ok) return
    if (performance.now() > deadline) throw new Error('fleetgate serve did not start')
  }
}

async function died(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`${name} ended with code ${code}`)
}

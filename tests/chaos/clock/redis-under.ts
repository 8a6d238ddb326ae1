import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { freePort } from '../../../packages/server/testing/servers/free-port.ts'
import type { FakeClock } from './fake-clock.ts'

const C_LIBRARY = ['/lib/*-linux-gnu/libc.so.6', '/lib64/libc.so.6']
const START_PATIENCE_MS = 20_000

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

/** Starts a Redis with a separate clock, which ends on disposal. Undefined if it does not start that way. */
export async function startRedisUnder(
  { environment }: FakeClock,
  folder: string,
): Promise<(AsyncDisposable & { url: string }) | undefined> {
  const port = await freePort()
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  // Its allocator and libfaketime call each other during start: the C library's allocator must load first.
  const libraries = [environment.LD_PRELOAD, ...globSync(C_LIBRARY).slice(0, 1)].join(' ')
  const env = { ...process.env, ...environment, LD_PRELOAD: libraries }
  const server = spawn('redis-server', settings, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(server, 'exit').then(() => false)
  const { promise: ready, resolve } = Promise.withResolvers<boolean>()
  createInterface(server.stdout).on('line', (line) => {
    if (line.includes('Ready to accept connections')) resolve(true)
  })
  const timer = setTimeout(resolve, START_PATIENCE_MS, false)
  const isReady = await Promise.race([ready, ended])
  clearTimeout(timer)

  async function stop(): Promise<void> {
    process.off('exit', kill)
    server.kill('SIGKILL')
    await ended
  }

  if (isReady) return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop }
  await stop()
  return undefined
}

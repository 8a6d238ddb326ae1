import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../packages/server/testing/servers/free-port.ts'
import { certificate } from './certificate.ts'
import { REPOSITORY } from './fleetgate.ts'
import type { Server } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { listens } from './watched-process.ts'

export const PROXY_PROGRAMS = ['nginx', 'haproxy', 'caddy'] as const
export type ProxyProgram = (typeof PROXY_PROGRAMS)[number]

/** A reverse proxy in a process of its own. It speaks TLS on `port` of loopback. */
export type ReverseProxy = {
  port: number
  /** The lines of its access log. Caddy has none. */
  logged(): string
  stop(): Promise<void>
}

/** The version that a program reports; undefined if it is not installed. */
export function versionOf(program: ProxyProgram): string | undefined {
  const { error, stdout, stderr } = spawnSync(program, [program === 'caddy' ? 'version' : '-v'])
  return error === undefined ? String(stdout) + String(stderr) : undefined
}

const CONFIGURATIONS = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' }

/** Around the configuration of a program in `deploy`: paths and ports that a test may use. */
const AROUND: Record<ProxyProgram, (block: string, port: number, folder: string) => string> = {
  nginx: (block, port, folder) => `
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http { access_log ${folder}/access.log; ${temporaryPaths(folder)}
      ${block.replaceAll('listen 443', `listen 127.0.0.1:${port}`)} }`,
  haproxy: (block, port) =>
    block
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace('mode http', 'mode http\n    option httplog\n    log stdout format raw local0'),
  caddy: (block, port) => `
    {
      admin off
      auto_https disable_redirects
      default_bind 127.0.0.1
    }
    ${block.replaceAll('.example.com {', `.example.com:${port} {`)}`,
}

const temporaryPaths = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')

const ARGUMENTS: Record<ProxyProgram, (file: string) => string[]> = {
  nginx: (file) => ['-c', file],
  haproxy: (file) => ['-db', '-f', file],
  caddy: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
}

/** Starts a proxy with its configuration of `deploy` before a server. */
export async function startProxy(program: ProxyProgram, server: Server): Promise<ReverseProxy> {
  const [port, folder] = [await freePort(), temporaryFolder()]
  const [, cert, , key] = certificate().args
  const both = join(folder, 'both.pem')
  writeFileSync(both, readFileSync(cert!, 'utf8') + readFileSync(key!, 'utf8'))
  const configuration = join(REPOSITORY, 'deploy', CONFIGURATIONS[program])
  const block = readFileSync(configuration, 'utf8')
    .replaceAll('127.0.0.1:7070', new URL(server.api).host)
    .replaceAll('127.0.0.1:7071', new URL(server.feed).host)
    .replaceAll('127.0.0.1:7072', new URL(server.admin).host)
    .replaceAll('/etc/ssl/fleetgate/cert.pem', cert!)
    .replaceAll('/etc/ssl/fleetgate/key.pem', key!)
    .replaceAll('/etc/ssl/fleetgate/both.pem', both)
  const file = join(folder, 'configuration')
  writeFileSync(file, AROUND[program](block, port, folder))
  const access = join(folder, 'access.log')
  const stdio = ['ignore', openSync(access, 'a'), 'pipe'] satisfies StdioOptions
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, ARGUMENTS[program](file), { stdio, env })
  return started(child, port, () => readFileSync(access, 'utf8'))
}

async function started(
  child: ChildProcess,
  port: number,
  logged: () => string,
): Promise<ReverseProxy> {
  const ended = once(child, 'exit')
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries > 200 || child.exitCode !== null) throw new Error(`no proxy has started: ${stderr}`)
    await pause(25)
  }
  return {
    port,
    logged,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../packages/server/src/trial/servers/free-port.ts'
import { REPOSITORY } from './fleetgate.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A reverse proxy of its own process; `origin` is where it listens. */
export type Proxy = { origin: string; stop(): Promise<void> }

export const hasProgram = (name: string) => spawnSync(name, ['-v']).error === undefined

/** The fenced block of docs/operating.md that holds this text. */
export function documentedBlock(language: string, holding: string): string {
  const page = readFileSync(join(REPOSITORY, 'docs/operating.md'), 'utf8')
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))
  const found = Array.from(blocks, ([, text]) => text!).find((text) => text.includes(holding))
  if (found === undefined) throw new Error(`no ${language} block with ${holding}`)
  return found
}

/** nginx with these locations. */
export async function startNginx(locations: string): Promise<Proxy> {
  const port = await freePort()
  const folder = temporaryFolder()
  const file = join(folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http { access_log off; ${paths}
      server { listen 127.0.0.1:${port}; ${locations} } }`,
  )
  return started(spawn('nginx', ['-p', folder, '-c', file]), port)
}

/** HAProxy with these lines in its frontend, before one server. */
export async function startHaproxy(frontend: string, server: string): Promise<Proxy> {
  const port = await freePort()
  const file = join(temporaryFolder(), 'haproxy.cfg')
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend console
  bind 127.0.0.1:${port}
${frontend}
  default_backend fleetgate
backend fleetgate
  server fleetgate ${server}
`,
  )
  return started(spawn('haproxy', ['-db', '-f', file]), port)
}

async function started(child: ChildProcess, port: number): Promise<Proxy> {
  const ended = once(child, 'exit')
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries > 200 || child.exitCode !== null) throw new Error('the proxy did not start')
    await pause(25)
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

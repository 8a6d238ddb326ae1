import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** Debian installs it outside of the path of most people. */
const PROGRAM = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  .map((folder) => join(folder, 'mosquitto'))
  .find((program) => existsSync(program))

export const withoutMosquitto = PROGRAM === undefined ? 'mosquitto is not installed' : false

/** A real MQTT broker of a test, on a free port, which keeps sessions and messages in a temporary folder. */
export type Mosquitto = {
  readonly port: number
  /** SIGKILL. `start` starts it again on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const PATIENCE_MS = 10_000

/** `settings`: more lines of its configuration, such as those of users and of TLS. */
export async function startMosquitto(...settings: string[]): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-mosquitto-'))
  const port = await freePort()
  const file = join(folder, 'mosquitto.conf')
  const kept = ['persistence true', `persistence_location ${folder}/`, 'autosave_on_changes true']
  // As root it would run as a user that cannot write to the folder.
  const runs = [`user ${userInfo().username}`, 'log_dest none', 'max_inflight_messages 0']
  const lines = [...runs, `listener ${port} 127.0.0.1`, ...kept, 'autosave_interval 1', ...settings]
  writeFileSync(file, `${lines.join('\n')}\n`)
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn(PROGRAM!, ['-c', file], { stdio: 'ignore' })
    const end = () => started.kill('SIGKILL')
    process.once('exit', end)
    started.once('exit', () => process.off('exit', end))
    server = started
    const giveUpAt = performance.now() + PATIENCE_MS
    while (!(await answers(port))) {
      if (performance.now() > giveUpAt) throw new Error('mosquitto does not listen')
      await pause(20)
    }
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    port,
    kill,
    start,
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

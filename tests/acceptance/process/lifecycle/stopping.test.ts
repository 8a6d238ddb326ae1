import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isEmbedded } from '../../harness/deployment.ts'
import { BIN, type Json, REPOSITORY } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { descendantsOf, listens } from '../../harness/watched-process.ts'

const PORTS = ['--port', '0', '--admin-port', '0', '--feed-port', '0', '--json']
const SERVE = ['serve', ...PORTS, '--geocoder', 'off']
const LATEST_MS = 15_000

/** A server that another process started: its address and its output. */
type Started = { launcher: ChildProcess; ports: number[]; said(): string }

/** Runs a command that starts a server, in a process group of its own, and waits until the server is ready. */
async function started(
  command: string,
  args: string[],
  folder = temporaryFolder(),
): Promise<Started> {
  const env = { ...process.env, FLEETGATE_DATA: folder, NODE_TEST_CONTEXT: undefined }
  const launcher = spawn(command, args, { cwd: REPOSITORY, env, detached: true })
  after(() => endGroup(launcher))
  let said = ''
  launcher.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const greeting = new Promise<Json>((resolve, reject) => {
    createInterface({ input: launcher.stdout }).on('line', (line) => {
      said += `${line}\n`
      if (line.startsWith('{"api"')) resolve(JSON.parse(line))
    })
    launcher.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
  const { api, admin, feed } = await greeting
  const ports = [api, admin, feed].map((url) => Number(new URL(url).port))
  return { launcher, ports, said: () => said }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // The whole process group has ended.
  }
}

async function assertFree({ ports, said }: Started): Promise<void> {
  const giveUpAt = performance.now() + LATEST_MS
  for (const port of ports) {
    while (await listens(port)) {
      assert.ok(performance.now() < giveUpAt, `port ${port} is still taken; it said:\n${said()}`)
      await wait(50)
    }
  }
}

/** The server has drained, and its ports are free. */
async function assertStopped(server: Started): Promise<void> {
  await assertFree(server)
  assert.match(server.said(), /stopping: no new connections/)
}

const isAbout = { skip: isEmbedded ? false : 'about starting, whatever the deployment' }

describe('npm start stops its server', isAbout, () => {
  // Only the first start makes the demo.
  const folder = temporaryFolder()
  const start = () => started('npm', ['start', '--', ...PORTS], folder)

  it('on SIGTERM, as service managers send it', async () => {
    const server = await start()
    server.launcher.kill('SIGTERM')
    await assertStopped(server)
  })

  it('on Ctrl-C, which a terminal sends to the whole group', async () => {
    const server = await start()
    process.kill(-server.launcher.pid!, 'SIGINT')
    await assertStopped(server)
  })
})

describe('npx stops its server', isAbout, () => {
  it('on SIGTERM', async () => {
    const server = await started('npx', ['fleetgate', ...SERVE])
    server.launcher.kill('SIGTERM')
    await assertStopped(server)
  })
})

describe('A server whose terminal is closed', () => {
  const skip = spawnSync('script', ['--version']).status === 0 ? false : 'script is not installed'

  it('stops with all of its processes', { skip }, async () => {
    const { args, serveArgs } = await newDeployment()
    const more = isEmbedded ? [] : ['--processes', '2']
    const command = [process.execPath, BIN, ...SERVE, ...args, ...serveArgs, ...more].join(' ')
    // `script` gives the server a terminal that closes with it.
    const server = await started('script', ['-qfc', `exec ${command}`, '/dev/null'])
    const pids = descendantsOf(server.launcher.pid!)
    server.launcher.kill('SIGKILL')
    await assertFree(server)
    while (pids.some(isAlive)) await wait(50)
  })
})

describe('Process 1 of a container', isAbout, () => {
  const alone = ['--pid', '--fork', '--kill-child', process.execPath, BIN]
  const { status } = spawnSync('unshare', ['--pid', '--fork', 'true'])
  const skip = status === 0 ? false : 'this user may make no namespace of processes'

  it('stops on SIGTERM, as docker stop sends it', { skip }, async () => {
    const server = await started('unshare', [...alone, ...SERVE])
    const ended = once(server.launcher, 'exit')
    process.kill(descendantsOf(server.launcher.pid!)[0]!, 'SIGTERM')
    await assertStopped(server)
    assert.deepEqual(await ended, [0, null])
  })

  it('exits at once while it waits for its database', { skip }, async () => {
    const silent = createServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    after(() => silent.close())
    const { port } = silent.address() as AddressInfo
    const location = [
      '--database',
      `postgres://127.0.0.1:${port}/x`,
      '--redis',
      'redis://127.0.0.1',
    ]
    const launcher = spawn('unshare', [...alone, ...SERVE, ...location], { detached: true })
    after(() => endGroup(launcher))
    const ended = once(launcher, 'exit', { signal: AbortSignal.timeout(LATEST_MS) })
    await once(silent, 'connection')
    process.kill(descendantsOf(launcher.pid!)[0]!, 'SIGTERM')
    assert.deepEqual(await ended, [128 + constants.signals.SIGTERM, null])
  })
})

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

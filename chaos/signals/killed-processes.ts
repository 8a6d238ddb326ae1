import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Random, seeded } from '../../packages/server/src/demo/random.ts'
import { missingServer, shareDeployment } from '../kills/shared-deployment.ts'
import type { Finding, Trial } from '../part.ts'
import { type SignalledServer, startServer } from '../server.ts'

const PROCESSES = 2
const CLIENTS = 60
/** A client without an answer for this long was abandoned. An answer takes milliseconds. */
const PATIENCE_MS = 5_000
const LOAD_MS = 500
const REQUEST = 'GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** The end of a connection with one request. */
type End = 'answered' | 'ended' | 'silent'

/** Kills one of two processes repeatedly, while clients make a connection for each request. */
export async function killProcesses(trial: Trial): Promise<Finding[]> {
  const missing = missingServer()
  if (missing !== undefined) {
    const measured = `left out: no ${missing}`
    return [{ what: 'kill -9 of one of several processes', bar: '', measured, met: true }]
  }
  await using opened = new AsyncDisposableStack()
  const { deployment, stop } = await shareDeployment()
  opened.defer(stop)
  const place = [...deployment.args, ...deployment.serveArgs]
  const server = await startServer([...place, '--processes', `${PROCESSES}`])
  opened.defer(async () => {
    server.signal('SIGTERM')
    await server.ended
  })
  const kills = trial.amount({ minutes: 10, hours: 200 })
  const ends = await killUnderLoad(server, kills, seeded('killed processes', trial.seed))
  const all = ends.answered + ends.ended + ends.silent
  return [
    {
      what: `connections left without an answer or an end, of ${all} while one of ${PROCESSES} processes was killed ${kills} times`,
      bar: 'none',
      measured: `${ends.silent}; ${ends.answered} answered, ${ends.ended} ended with their process`,
      met: ends.silent === 0 && ends.answered > 0,
    },
  ]
}

async function killUnderLoad(
  server: SignalledServer,
  kills: number,
  random: Random,
): Promise<Record<End, number>> {
  const ends = { answered: 0, ended: 0, silent: 0 }
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) ends[await askOnce(server.port)] += 1
  })
  for (let i = 0; i < kills; i++) {
    await wait(random.between(0, LOAD_MS))
    process.kill(random.pick(childrenOf(server.pid)), 'SIGKILL')
    await server.says('another takes its place', i + 1)
    while ((await fetch(`${server.admin}/ready`)).status !== 200) await wait(20)
  }
  isOver = true
  await Promise.all(clients)
  return ends
}

async function askOnce(port: number): Promise<End> {
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
  const silent = wait(PATIENCE_MS, 'silent' as const, { ref: false })
  const end = await Promise.race([endOf(socket), silent])
  socket.destroy()
  return end
}

async function endOf(socket: Socket): Promise<End> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  // A reset closes the connection too.
  await once(socket, 'close').catch(() => {})
  return text.endsWith('}') ? 'answered' : 'ended'
}

function childrenOf(parent: number): number[] {
  const text = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  return text.trim().split(' ').map(Number)
}

import { join } from 'node:path'
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts'
import { freePort } from '../../packages/server/testing/servers/free-port.ts'
import type { Finding, Trial } from '../part.ts'
import { startServer } from '../server.ts'
import { connect } from './connection.ts'

const PING = { pieces: ['GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n'], count: 1 }

/** Restarts a server of a data folder, and measures how long requests go unanswered. */
export async function restartOften(trial: Trial): Promise<Finding> {
  const folder = join(trial.folder, 'restarted')
  await (await openSqliteStore(folder)).close()
  const args = ['--data', folder, '--port', `${await freePort()}`]
  let server = await startServer(args)
  const gaps: number[] = []
  for (let i = 0; i < trial.amount({ minutes: 3, hours: 20 }); i++) {
    const gap = longestGap(server.port)
    server.signal('SIGTERM')
    await server.ended
    server = await startServer(args)
    gaps.push(await gap)
  }
  server.signal('SIGTERM')
  await server.ended
  gaps.sort((a, b) => a - b)
  const inSeconds = (ms: number | undefined) => ((ms ?? 0) / 1_000).toFixed(1)
  return {
    what: `a restart over a data folder, ${gaps.length} times: time without answers`,
    bar: '',
    measured: `median ${inSeconds(gaps[gaps.length >> 1])} s, longest ${inSeconds(gaps.at(-1))} s`,
    met: true,
  }
}

/** Sends requests continuously, each on a new connection, until one is refused and a later one answered. */
async function longestGap(port: number): Promise<number> {
  let answeredAt = performance.now()
  for (let wasRefused = false; ; ) {
    const isAnswered = await ping(port)
    const now = performance.now()
    if (isAnswered && wasRefused) return now - answeredAt
    if (isAnswered) answeredAt = now
    else wasRefused = true
  }
}

async function ping(port: number): Promise<boolean> {
  try {
    const connection = await connect(port)
    const { answers } = await connection.send(PING)
    connection.close()
    return answers.length === 1
  } catch {
    return false
  }
}

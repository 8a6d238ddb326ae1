import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import type { Finding, Trial } from '../part.ts'
import { startServer } from '../server.ts'
import { addCallers, type Caller, HISTORY_RANGE } from './fleet.ts'

/** Exceeds the socket buffers. */
const ROWS = 60_000
/** Within half a second it counts as the same signal, passed on twice. */
const AS_ONE_MS = 150
const APART_MS = 700
/** Immediately, on a busy machine. */
const AT_ONCE_MS = 2_000
const SECOND_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Sends a second signal during an answer: soon after the first, or some time later. */
export async function signalTwice(trial: Trial): Promise<Finding> {
  const folder = join(trial.folder, 'signalled-twice')
  const store = await openSqliteStore(folder)
  const [caller] = await addCallers(store, 1, [ROWS])
  await store.close()
  const rounds = trial.amount({ minutes: 4, hours: 40 })
  const faults: string[] = []
  for (let i = 0; i < rounds; i++) {
    const second = SECOND_SIGNALS[(i >> 1) % 2]!
    const fault = await (i % 2 === 0 ? stopAtOnce : goOn)(folder, caller!, second)
    if (fault !== undefined) faults.push(`${second}: ${fault}`)
  }
  return {
    what: `a second signal with an answer under way, ${rounds} times`,
    bar: 'ends at once with exit code 1; within half a second, changes nothing',
    measured: faults[0] ?? 'so it does',
    met: faults.length === 0,
  }
}

async function stopAtOnce(
  folder: string,
  caller: Caller,
  second: NodeJS.Signals,
): Promise<string | undefined> {
  const { server, history } = await begin(folder, caller)
  history.on('error', () => {})
  await wait(APART_MS)
  const askedAt = performance.now()
  server.signal(second)
  const code = await server.ended
  const tookMs = performance.now() - askedAt
  history.destroy()
  return code === 1 && tookMs < AT_ONCE_MS
    ? undefined
    : `exit code ${code} after ${tookMs.toFixed(0)} ms`
}

async function goOn(
  folder: string,
  caller: Caller,
  second: NodeJS.Signals,
): Promise<string | undefined> {
  const { server, history } = await begin(folder, caller)
  await wait(AS_ONE_MS)
  server.signal(second)
  const text = Buffer.concat(await history.toArray()).toString()
  const code = await server.ended
  const { length } = JSON.parse(text).result
  return code === 0 && length === ROWS ? undefined : `exit code ${code}, ${length} rows`
}

/** Sends the first signal when the answer has begun and nothing has been read. */
async function begin(folder: string, { key, object }: Caller) {
  const server = await startServer(['--data', folder])
  const path = `/public/v1/objects/${object}/positions?${HISTORY_RANGE}`
  const history = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'x-api-key': key }
    request({ port: server.port, path, headers, agent: false }, resolve).on('error', reject).end()
  })
  server.signal('SIGTERM')
  return { server, history }
}

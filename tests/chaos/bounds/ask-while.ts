import { setTimeout as wait } from 'node:timers/promises'
import type { ServerProcess } from '../../acceptance/harness/server.ts'

const EVERY_MS = 20
const PATIENCE_MS = 5_000

/** Requests of other clients, each over its own connection, and the number of answers other than 200. */
export type Asked = Record<'readiness' | 'the feed' | 'the API', { asked: number; failed: number }>

/** Requests readiness, the feed and the API repeatedly until the work is done. */
export async function askWhile(
  server: ServerProcess,
  token: string,
  work: () => Promise<void>,
): Promise<Asked> {
  const asked: Asked = {
    readiness: { asked: 0, failed: 0 },
    'the feed': { asked: 0, failed: 0 },
    'the API': { asked: 0, failed: 0 },
  }
  const row = { ident: 'van', time_device: '2026-11-21T09:00:00Z', latitude: 41, longitude: 2 }
  const packet = { method: 'POST', body: JSON.stringify([row]), headers: { 'x-feed-token': token } }
  let isOver = false

  async function ask(who: keyof Asked, url: string, init: RequestInit = {}): Promise<void> {
    const headers = { ...init.headers, connection: 'close' }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const status = await fetch(url, { ...init, headers, signal }).then(
      (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 0,
    )
    asked[who].asked += 1
    if (status !== 200) asked[who].failed += 1
  }

  async function askOn(): Promise<void> {
    while (!isOver) {
      await ask('readiness', `${server.admin}/ready`)
      await ask('the feed', `${server.feed}/feed/v1/positions`, packet)
      await ask('the API', `${server.api}/public/v1/ping`)
      await wait(EVERY_MS)
    }
  }

  const asking = askOn()
  await work()
  isOver = true
  await asking
  return asked
}

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { RATE_WINDOW } from '../../src/base/domain/limits.ts'
import { systemClock } from '../../src/base/domain/time/time.ts'
import { keysOf } from '../../src/data/live/redis/redis-keys.ts'
import type { Script } from '../../src/data/live/redis/scripts.ts'
import { Servers } from '../../src/data/live/redis/servers.ts'
import { parseRedisUrl } from '../../src/data/live/redis-url.ts'
import { type Check, mulberry32 } from './window-verdicts.ts'

/** The work of one process in a trial. */
export type TrialOrder = {
  url: string
  /** A name of the trial, so that it shares no windows with others. */
  secret: Buffer
  /** Replies like the script of a request: the window's verdict first. */
  script: Script
  organizations: number
  checks: number
  seed: number
}

/** Concurrent requests in a burst. */
const BURST = 16
const LONGEST_PAUSE_MS = 40
/** The worker waits if the wait is shorter. */
const SOON_US = 200_000

process.once('message', async (order: TrialOrder) => {
  const events = { up() {}, down() {}, log() {} }
  const servers = new Servers(parseRedisUrl(order.url)!, systemClock, events)
  await servers.whenUp()
  process.send!(await play(servers, order), () => process.disconnect())
  servers.close()
})

/** Mixes bursts at a few organizations or at all, pauses, and requests at the very end of a wait. */
async function play(servers: Servers, order: TrialOrder): Promise<Check[]> {
  const random = mulberry32(order.seed)
  const ask = asker(servers, order)
  const checks: Check[] = []
  const waiting: Promise<Check>[] = []
  for (let left = order.checks; left > 0; ) {
    const size = Math.min(BURST, left)
    left -= size
    const isFew = random() < 0.5
    const crowd = isFew ? Math.ceil(order.organizations / 20) : order.organizations
    const burst = Array.from({ length: size }, () => ask(1 + Math.floor(random() * crowd)))
    for (const check of await Promise.all(burst)) {
      checks.push(check)
      if (left === 0 || check.admitted || check.resetUs > SOON_US) continue
      left -= 1
      waiting.push(pause(check.resetUs / 1_000).then(() => ask(check.organization)))
    }
    if (waiting.length > BURST) checks.push(...(await Promise.all(waiting.splice(0))))
    if (random() < 0.05) await pause(random() * LONGEST_PAUSE_MS)
  }
  return [...checks, ...(await Promise.all(waiting))]
}

function asker(servers: Servers, { secret, script }: TrialOrder) {
  const keys = keysOf(secret)
  const epoch = randomBytes(9).toString('base64url')
  return async (organization: number): Promise<Check> => {
    const asked = {
      keys: [keys.window(organization), keys.counters(organization, 0), keys.states(organization)],
      values: ['', '', '', '', '', epoch, '', RATE_WINDOW.requests, '', '', ''],
    }
    try {
      const { result, timeUs } = await servers.evaluate(organization, script, () => asked)
      const [admitted, , resetUs] = result as [number, number, number]
      return { organization, timeUs, admitted: admitted === 1, resetUs }
    } catch {
      return { organization, timeUs: null, admitted: false, resetUs: 0 }
    }
  }
}

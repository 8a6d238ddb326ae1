import { setTimeout as pause } from 'node:timers/promises'
import type { RateVerdict } from '../../access/rate-window.ts'
import type { Clock } from '../../domain/clock.ts'
import { deferringQuota } from '../deferring-quota.ts'
import { memoryRateWindow } from '../memory/rate-window.ts'
import type { QuotaCounts } from '../quota-counts.ts'
import {
  type Charge,
  type ChargeVerdict,
  QuotaUnavailable,
  type Realtime,
  type Shared,
  type Wants,
  WindowUnavailable,
} from '../realtime.ts'
import type { Asked } from './connection.ts'
import { countsBehind } from './counts-behind.ts'
import { keysOf } from './keys.ts'
import { type ChargeReply, redisQuota } from './quota.ts'
import { parseRedisUrl } from './redis-url.ts'
import { ASK } from './scripts/scripts.ts'
import { type Evaluated, openServers } from './servers.ts'
import { redisSnapshots, SHOWN_AT_ONCE, type StatesReply } from './snapshots.ts'
import { RedisUnavailable } from './unavailable.ts'

/** How long a start waits for servers; one without them goes on as one that has lost them. */
const OPEN_PATIENCE_MS = 500

export type RedisSettings = {
  /** `redis-url.ts` says in which forms. */
  url: string
  /** The deployment's: what is shared is told by it from what others share. */
  secret: Buffer
  /** Whether requests are refused while the shared window cannot be asked. */
  isStrict: boolean
  counts: QuotaCounts
  clock: Clock
  /** Hears in lines for the log what is down, and that it is up again. */
  tell: (line: string) => void
}

export type RedisRealtime = Realtime & {
  /** Of those of which any states are kept, how many changes of the organization's are in them. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Grows whenever changes that had got there may have gone: another server, or one started anew. */
  losses(): number
}

type AskReply = [
  admitted: number,
  remaining: number,
  resetUs: number,
  charge: ChargeReply | null,
  states: StatesReply,
]

/**
 * What is current, shared by all processes of a deployment through one Redis or a Redis Cluster. All
 * that one request asks is one script's one run. Throws a RangeError where the URL is none.
 */
export async function openRedisRealtime(settings: RedisSettings): Promise<RedisRealtime> {
  const { clock, isStrict, tell } = settings
  const url = parseRedisUrl(settings.url)
  if (url === null) throw new RangeError('That is no URL of a Redis.')
  const keys = keysOf(settings.secret)
  let losses = 0
  const servers = openServers(url, clock, {
    tell,
    up() {
      losses += 1
      void snapshots.catchUp()
      quota.settle()
    },
    down: () => behind.hurry(),
  })
  const behind = countsBehind(settings.counts, tell)
  const counters = redisQuota(servers, keys, settings.counts, behind)
  const quota = deferringQuota(counters)
  const snapshots = redisSnapshots(servers, keys, tell)
  const ownWindow = memoryRateWindow(clock)

  function evaluateAsk(organization: number, charge: Charge | null, states: readonly number[]) {
    return servers.evaluate(organization, ASK, (run): Asked => {
      const counters = keys.counters(organization, charge?.day ?? 0)
      const charged = [charge?.limit ?? '', charge?.objects.join(' ') ?? '']
      const shown = [snapshots.newEpoch(), states.slice(0, SHOWN_AT_ONCE).join(' ')]
      return {
        keys: [keys.window(organization), counters, keys.states(organization)],
        values: [run, ...charged, ...shown],
      }
    })
  }

  async function chargeIfUp(organization: number, charge: Charge) {
    try {
      return await quota.charge(organization, charge)
    } catch (error) {
      if (error instanceof QuotaUnavailable) return 'unavailable'
      throw error
    }
  }

  /** As long as Redis does not answer: each process for itself, and nothing limited uncharged. */
  async function withoutRedis(organization: number, { charge }: Wants): Promise<Shared> {
    if (isStrict) throw new WindowUnavailable('The shared rate window cannot be asked.')
    const rate = ownWindow.take(organization)
    if (!rate.admitted || charge === null) return { rate, charge: null, states: null }
    return { rate, charge: await chargeIfUp(organization, charge), states: null }
  }

  async function shared(organization: number, wants: Wants, told: Evaluated): Promise<Shared> {
    const [admitted, remaining, resetUs, reply, states] = told.result as AskReply
    const rate: RateVerdict = { admitted: admitted === 1, remaining, resetUs }
    if (!rate.admitted) return { rate, charge: null, states: null }
    const { charge: due } = wants
    let charge: ChargeVerdict | 'unavailable' | null = null
    if (due !== null) {
      if (reply !== null) charge = counters.verdict(organization, due, reply)
      charge ??= await chargeIfUp(organization, due)
    }
    const read = await snapshots.readOn(organization, wants.states, {
      result: states,
      run: told.run,
    })
    return { rate, charge, states: read }
  }

  await Promise.race([servers.whenUp(), pause(OPEN_PATIENCE_MS, undefined, { ref: false })])
  return {
    async ask(organization, wants) {
      // What is owed is made up for first, on its own.
      const charge = quota.owes(organization) ? null : wants.charge
      let told: Evaluated
      try {
        told = await evaluateAsk(organization, charge, wants.states)
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error
        return withoutRedis(organization, wants)
      }
      return shared(organization, wants, told)
    },
    quota,
    snapshots,
    changes: snapshots.changes,
    losses: () => losses,
    async close() {
      await behind.close()
      snapshots.close()
      servers.close()
    },
  }
}

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
import type { Tell } from './tell.ts'
import { RedisUnavailable } from './unavailable.ts'

/** How long a start waits for the servers. After that it goes on as if it had lost them. */
const OPEN_PATIENCE_MS = 500

export type RedisSettings = {
  /** `redis-url.ts` describes the forms. */
  url: string
  /** The deployment's secret. It separates this deployment's keys from those of others. */
  secret: Buffer
  /** Whether requests are refused while the shared window cannot be asked. */
  isStrict: boolean
  counts: QuotaCounts
  clock: Clock
  /** Gets a line for the log when a server goes down or answers again. */
  tell: Tell
}

export type RedisRealtime = Realtime & {
  /** For each organization with kept states, the number of changes that those states include. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Grows whenever kept changes may have been lost, because a server restarted or was replaced. */
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
 * The realtime port on one Redis or a Redis Cluster, shared by all processes of a deployment. One run of
 * one script answers all that a request asks. Throws a RangeError if the URL is invalid.
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

  /**
   * While Redis does not answer, each process uses its own window and refuses charges that have a limit.
   */
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
      // Deferred counts are written first.
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

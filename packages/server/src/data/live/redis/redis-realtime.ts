import { setTimeout as pause } from 'node:timers/promises'
import {
  lowerOf,
  memoryRateWindow,
  type RateVerdict,
  SPAN_US,
  type WindowNeeds,
  type WindowShare,
} from '../../../base/access/sliding-log.ts'
import { RATE_WINDOW } from '../../../base/domain/limits.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import { type DeferringQuota, deferringQuota } from '../deferring-quota.ts'
import {
  type Charge,
  type ChargeVerdict,
  type QuotaCounts,
  type Realtime,
  type RequestNeeds,
  type SharedAnswer,
  WindowUnavailable,
} from '../realtime.ts'
import { parseRedisUrl } from '../redis-url.ts'
import type { ScriptArguments } from './connection.ts'
import { RedisUnavailable } from './permissions.ts'
import { type RedisQuota, redisQuota } from './quota.ts'
import { type Keys, keysOf } from './redis-keys.ts'
import { ASK, type AskReply, GIVE_BACK, listedCharge } from './scripts.ts'
import { type Evaluated, type LogServerEvent, Servers } from './servers.ts'
import { type RedisSnapshots, redisSnapshots, SHOWN_AT_ONCE } from './snapshots.ts'
import { redisStreamSlots } from './stream-slots.ts'

/** How long a start waits for the servers. After that it continues as if it had lost them. */
const OPEN_PATIENCE_MS = 500

const NO_CHARGE: Charge = { objects: [], limit: null, day: 0 }

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
  log: LogServerEvent
}

export type RedisRealtime = Realtime & {
  /** For each organization with kept states, the number of changes that those states include. */
  changes(organizations: readonly number[]): Promise<Map<number, number>>
  /** Grows whenever kept changes may have been lost, because a server restarted or was replaced. */
  losses(): number
}

/**
 * The realtime port on one Redis or a Redis Cluster, shared by all processes of a deployment. One run of
 * one script answers all that a request asks. Throws a RangeError if the URL is invalid.
 */
export async function openRedisRealtime(settings: RedisSettings): Promise<RedisRealtime> {
  const { clock, isStrict, log } = settings
  const url = parseRedisUrl(settings.url)
  if (url === null) throw new RangeError('The URL is not a valid Redis URL.')
  const keys = keysOf(settings.secret)
  let losses = 0
  const servers = new Servers(url, clock, {
    log,
    up() {
      losses += 1
      void snapshots.catchUp()
      quota.settle()
    },
    down: () => counters.writeNow(),
  })
  const counters = redisQuota(servers, keys, settings.counts, log)
  const quota = deferringQuota(counters)
  const snapshots = redisSnapshots(servers, keys, log)
  const streams = redisStreamSlots(servers, keys)
  const ownWindow = memoryRateWindow(clock)
  const admissions = ownAdmissions(clock)
  const parts = { isStrict, keys, servers, counters, quota, snapshots, ownWindow, admissions }

  await Promise.race([servers.whenUp(), pause(OPEN_PATIENCE_MS, undefined, { ref: false })])
  return {
    async ask(organization, needs) {
      // Deferred counts are written first.
      const charge = quota.debtors.has(organization) ? null : needs.charge
      let evaluated: Evaluated
      try {
        evaluated = await evaluateAsk(parts, organization, charge, needs)
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error
        return answerWithoutRedis(parts, organization, needs)
      }
      return answerOf(parts, organization, needs, evaluated)
    },
    giveBack: (organization, needs, atUs) => giveBack(parts, organization, needs, atUs),
    quota,
    snapshots,
    streams,
    changes: snapshots.changes,
    losses: () => losses,
    async close() {
      await Promise.all([counters.close(), streams.close()])
      snapshots.close()
      servers.close()
    },
  }
}

/** The parts of the port that answer a request. */
type Parts = {
  isStrict: boolean
  keys: Keys
  servers: Servers
  counters: RedisQuota
  quota: DeferringQuota
  snapshots: RedisSnapshots
  ownWindow: ReturnType<typeof memoryRateWindow>
  admissions: OwnAdmissions
}

async function evaluateAsk(
  { keys, servers, snapshots, admissions }: Parts,
  organization: number,
  charge: Charge | null,
  { shown, share, windowRequests = RATE_WINDOW.requests }: RequestNeeds,
): Promise<Evaluated> {
  const logs = logsOf(keys, organization, share)
  let carried: Carried[] = []
  const undo = () => {
    for (const each of carried) each.undo()
  }
  const asked = (run: string): ScriptArguments => {
    // A redirected script has not run.
    undo()
    carried = logs.map((log) => admissions.carry(log, run))
    const [window, ofShare] = logs
    const counters = keys.counters(organization, (charge ?? NO_CHARGE).day)
    return {
      keys: [window!, counters, keys.states(organization), ...(ofShare ? [ofShare] : [])],
      values: [
        ...[run, ...listedCharge(charge ?? NO_CHARGE)],
        ...[snapshots.newEpoch(), shown.slice(0, SHOWN_AT_ONCE).join(' ')],
        ...[windowRequests, share?.requests ?? '', ...carried.map(({ listed }) => listed)],
      ],
    }
  }
  try {
    return await servers.evaluate(organization, ASK, asked)
  } catch (error) {
    undo()
    throw error
  }
}

/** The keys of the logs that a request counts in. */
function logsOf(keys: Keys, organization: number, share: WindowShare | undefined): string[] {
  const window = keys.window(organization)
  return share === undefined ? [window] : [window, keys.share(organization, share.key)]
}

/**
 * While Redis does not answer, each process uses its own window and refuses charges with a limit.
 */
async function answerWithoutRedis(
  { isStrict, keys, quota, ownWindow, admissions }: Parts,
  organization: number,
  { charge, ...needs }: RequestNeeds,
): Promise<SharedAnswer> {
  if (isStrict) throw new WindowUnavailable('The shared rate window cannot be reached.')
  const rate = ownWindow.take(organization, needs)
  let atUs = 0
  if (rate.admitted) {
    for (const log of logsOf(keys, organization, needs.share)) {
      atUs = admissions.noteWithoutRedis(log)
    }
  }
  const answer = { rate, atUs, charge: null, states: null }
  if (!rate.admitted || charge === null) return answer
  return { ...answer, charge: await quota.chargeIfUp(organization, charge) }
}

/** An admission that was carried to the server continues to count. */
async function giveBack(
  { keys, servers, ownWindow, admissions }: Parts,
  organization: number,
  needs: WindowNeeds,
  atUs: number,
): Promise<RateVerdict> {
  const { windowRequests = RATE_WINDOW.requests, share } = needs
  const own = ownWindow.giveBack(organization, needs, atUs)
  const logs = logsOf(keys, organization, share)
  const [stampUs] = logs.map((log) => admissions.giveBack(log, atUs))
  try {
    const { result } = await servers.evaluate(organization, GIVE_BACK, () => ({
      keys: logs,
      values: [stampUs!, windowRequests, share?.requests ?? ''],
    }))
    return (result as [number, number][])
      .map(([remaining, resetUs]) => ({ admitted: false, remaining, resetUs }))
      .reduce(lowerOf)
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error
    return own
  }
}

async function answerOf(
  { keys, counters, quota, snapshots, ownWindow, admissions }: Parts,
  organization: number,
  needs: RequestNeeds,
  evaluated: Evaluated,
): Promise<SharedAnswer> {
  const [admitted, remaining, resetUs, reply, states] = evaluated.result as AskReply
  const rate: RateVerdict = { admitted: admitted === 1, remaining, resetUs }
  if (!rate.admitted) return { rate, atUs: 0, charge: null, states: null }
  const { charge: due } = needs
  // For the case that the server goes away or loses its logs.
  ownWindow.note(organization, needs)
  let atUs = 0
  for (const log of logsOf(keys, organization, needs.share)) {
    atUs = admissions.note(log, evaluated.timeUs, evaluated.run)
  }
  let charge: ChargeVerdict | 'unavailable' | null = null
  if (due !== null) {
    if (reply !== null) charge = counters.verdict(organization, due, reply)
    charge ??= await quota.chargeIfUp(organization, due)
  }
  const read = await snapshots.readOn(organization, needs.shown, {
    result: states,
    run: evaluated.run,
  })
  return { rate, atUs, charge, states: read }
}

/**
 * The admissions of this process in the last span, by the key of their log in Redis. A server lacks those that
 * this process's own window admitted while no server answered, and all of them if it has restarted. They are carried
 * into its log with the next request, so that this process never admits more than the window over both.
 */
type OwnAdmissions = {
  /** Notes an admission of now, and returns its time. `stampUs`: its time in the log of the server of this run. */
  note(key: string, stampUs: number, run: string): number
  /** Notes an admission of now that no server has in its log. */
  noteWithoutRedis(key: string): number
  /** Forgets the newest admission at or before `atUs`. Returns its stamp (0: none). */
  giveBack(key: string, atUs: number): number
  /**
   * The admissions that the server of a run may lack. They count as carried from now on, because scripts run in the order
   * in which they are sent.
   */
  carry(key: string, run: string): Carried
}

type Carried = {
  /** For the script: the stamp (0: none) and the age of each in microseconds, separated by spaces. */
  readonly listed: string
  /** For a script of which it is not known whether it ran. Carried twice, an admission without a stamp counts twice. */
  undo(): void
}

type Admission = { readonly atUs: number; readonly stampUs: number; run: string }

const NO_RUN = ''

const NOTHING: Carried = { listed: '', undo() {} }

export function ownAdmissions(clock: Pick<Clock, 'monotonic'>): OwnAdmissions {
  /** A log without an admission for one to two spans is dropped. */
  let young = new Map<string, Admission[]>()
  let old = new Map<string, Admission[]>()
  let youngSinceUs = clock.monotonic()

  const find = (key: string) => young.get(key) ?? old.get(key)

  function add(key: string, stampUs: number, run: string): number {
    const atUs = clock.monotonic()
    if (atUs - youngSinceUs >= SPAN_US) {
      old = young
      young = new Map()
      youngSinceUs = atUs
    }
    const log = find(key) ?? []
    while (log.length > 0 && hasExpired(log[0]!, atUs)) log.shift()
    log.push({ atUs, stampUs, run })
    young.set(key, log)
    return atUs
  }

  return {
    note: add,
    noteWithoutRedis: (key) => add(key, 0, NO_RUN),
    giveBack(key, atUs) {
      const log = find(key) ?? []
      const index = log.findLastIndex((each) => each.atUs <= atUs)
      return index === -1 ? 0 : log.splice(index, 1)[0]!.stampUs
    },
    carry(key, run) {
      const nowUs = clock.monotonic()
      const lacking = find(key)?.filter((each) => each.run !== run && !hasExpired(each, nowUs))
      if (lacking === undefined || lacking.length === 0) return NOTHING
      for (const each of lacking) each.run = run
      return {
        listed: lacking.map(({ atUs, stampUs }) => `${stampUs} ${nowUs - atUs}`).join(' '),
        undo() {
          for (const each of lacking) if (each.run === run) each.run = NO_RUN
        },
      }
    },
  }
}

function hasExpired({ atUs }: Admission, nowUs: number): boolean {
  return atUs <= nowUs - SPAN_US
}

import type { QuotaCount } from '../../../base/domain/limits.ts'
import {
  type Amounts,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  type QuotaCounts,
  QuotaUnavailable,
} from '../realtime.ts'
import type { Keys } from './redis-keys.ts'
import { CHARGE_ALONE, type ChargeReply, COUNTERS, listedCharge, script } from './scripts.ts'
import type { Evaluated, LogServerEvent, Servers } from './servers.ts'

/** The verdicts of `ChargeReply`. */
const UNMERGED = 2
const CHARGED = 1

/** How long a charge waits for the lasting copy to be read. */
const MERGE_PATIENCE_MS = 1_000
/** Counters merged per call. */
const SLICE = 2_000

/** How often noted counts are written to the lasting copy. */
const WRITE_EVERY_MS = 1_000
/** How long a shutdown waits for a copy that does not answer. */
const END_PATIENCE_MS = 2_000

/** The daily quota in Redis. A lasting copy restores the counters if Redis lost them. */
export type RedisQuota = DailyQuota & {
  /** The verdict in a reply; null if the counters have to be restored first. */
  verdict(organization: number, charge: Charge, reply: ChargeReply): ChargeVerdict | null
  /** Writes the newest counts to the lasting copy now. Otherwise they are written within a second. */
  writeNow(): void
  /** Resolves when the lasting copy has all counts, or after 2 s. */
  close(): Promise<void>
}

/** `log` gets a line when the lasting copy cannot be written, and another when it can again. */
export function redisQuota(
  servers: Servers,
  keys: Keys,
  counts: QuotaCounts,
  log: LogServerEvent,
): RedisQuota {
  const unwritten = unwrittenCounts(counts, log)
  const restore = restoring(servers, keys, counts, unwritten)

  function verdict(
    organization: number,
    { objects, ableToPay = [], day }: Charge,
    [verdict, ...numbers]: ChargeReply,
  ): ChargeVerdict | null {
    if (verdict === UNMERGED) return null
    if (verdict !== CHARGED) {
      const remaining = numbers.splice(numbers.length / 2)
      const asked = [...objects, ...ableToPay]
      return {
        charged: false,
        exhausted: numbers.map((place) => asked[place - 1]!),
        left: remaining,
      }
    }
    if (objects.length === 0) return { charged: true, used: null }
    unwritten.note(organization, { objects, hundredths: numbers, day })
    // A spread of a whole fleet would be too many arguments.
    return { charged: true, used: numbers.reduce((most, each) => Math.max(most, each), 0) }
  }

  async function ask(organization: number, charge: Charge, factor: number): Promise<Evaluated> {
    const key = keys.counters(organization, charge.day)
    try {
      return await servers.evaluate(organization, CHARGE_ALONE, (run) => {
        return { keys: [key], values: [run, ...listedCharge(charge), factor] }
      })
    } catch (error) {
      throw asQuotaUnavailable(error)
    }
  }

  async function add(organization: number, charge: Charge, factor: number): Promise<ChargeVerdict> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { result, run } = await ask(organization, charge, factor)
      const decided = verdict(organization, charge, result as ChargeReply)
      if (decided !== null) return decided
      await restore(organization, charge.day, run)
    }
    throw new QuotaUnavailable('The counters were lost again while they were restored.')
  }

  return {
    verdict,
    writeNow: unwritten.writeNow,
    close: unwritten.close,
    charge: (organization, charge) => add(organization, charge, 1),
    /** Reads the lasting copy, because Redis may have lost its counters. Only the console and `/usage` ask. */
    async used(organization, objects, day) {
      const known = await counts.read(organization, day).catch((error) => {
        throw asQuotaUnavailable(error)
      })
      return objects.map((object) => known.get(object) ?? 0)
    },
    async giveBack(organization, amounts) {
      await add(organization, { ...amounts, limit: null }, -1)
    },
  }
}

/** A day's counters live longer than the day, whenever in it they were created. */
const COUNTERS_KEPT_S = 2 * 86_400

/**
 * `merge(key, run, objects, others)` raises each counter to at least the given hundredths. The last call names
 * the run, and charges are accepted from then on.
 */
const MERGE = `${COUNTERS}
local function merge(key, run, text, others)
  local objects, least = listed(text), listed(others)
  local all = counts(key, objects)
  for i, count in ipairs(all) do all[i] = math.max(count, tonumber(least[i])) end
  set(key, objects, all)
  if run ~= '' then redis.call('HSET', key, 'run', run) end
  redis.call('EXPIRE', key, ${COUNTERS_KEPT_S})
end
`

/** Keys: counters. Arguments: run, objects, hundredths. */
const MERGE_COUNTS = script(MERGE, 'merge(KEYS[1], ARGV[2], ARGV[3], ARGV[4])')

/** Merges the lasting copy of a day's counters into Redis. A merge that takes longer continues in the background. */
function restoring(
  servers: Servers,
  keys: Keys,
  counts: QuotaCounts,
  unwritten: UnwrittenCounts,
): (organization: number, day: number, run: string) => Promise<void> {
  const merging = new Map<string, Promise<void>>()

  async function mergeCounts(organization: number, day: number, run: string): Promise<void> {
    const key = keys.counters(organization, day)
    try {
      const known = await counts.read(organization, day)
      for (const { object, hundredths } of unwritten.list(organization, day)) {
        known.set(object, Math.max(hundredths, known.get(object) ?? 0))
      }
      const all = [...known]
      for (let start = 0; start === 0 || start < all.length; start += SLICE) {
        const slice = all.slice(start, start + SLICE)
        const objects = slice.map(([object]) => object).join(' ')
        const least = slice.map(([, hundredths]) => hundredths).join(' ')
        // The last slice names the run. If the server has restarted since, the merge is repeated for the
        // new run.
        const done = start + SLICE >= all.length ? run : ''
        const asked = { keys: [key], values: [done, objects, least] }
        await servers.evaluate(organization, MERGE_COUNTS, () => asked)
      }
    } catch (error) {
      throw asQuotaUnavailable(error)
    }
  }

  return async (organization, day, run) => {
    const name = `${organization} ${day}`
    let merge = merging.get(name)
    if (merge === undefined) {
      merge = mergeCounts(organization, day, run).finally(() => merging.delete(name))
      merge.catch(() => {})
      merging.set(name, merge)
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new QuotaUnavailable('The counters are still being restored.')
      timer = setTimeout(reject, MERGE_PATIENCE_MS, error)
    })
    await Promise.race([merge, late]).finally(() => clearTimeout(timer))
  }
}

function asQuotaUnavailable(cause: unknown): QuotaUnavailable {
  return new QuotaUnavailable('The quota’s counters cannot be reached.', { cause })
}

/** Counts on their way to the lasting copy of the quota counters. */
type UnwrittenCounts = {
  /** Notes counts. They are written within a second. */
  note(organization: number, counters: Required<Amounts>): void
  /** Counts that may not have been written yet. */
  list(organization: number, day: number): QuotaCount[]
  writeNow(): void
  close(): Promise<void>
}

function unwrittenCounts(counts: QuotaCounts, log: LogServerEvent): UnwrittenCounts {
  let waiting = new Map<string, QuotaCount>()
  let underWay = new Map<string, QuotaCount>()
  let writing: Promise<void> | undefined
  let isFailing = false

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    underWay = waiting
    waiting = new Map()
    try {
      await counts.write([...underWay.values()])
      if (isFailing) log('The quota’s counts are written again.', 'info')
      isFailing = false
    } catch (error) {
      if (!isFailing)
        log(`The quota’s counts cannot be written: ${(error as Error).message}`, 'error')
      isFailing = true
      // Counts noted since are newer, so they win.
      waiting = new Map([...underWay, ...waiting])
    }
    underWay = new Map()
  }

  function writeNow(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  const timer = setInterval(writeNow, WRITE_EVERY_MS).unref()

  return {
    note(organization, { objects, hundredths, day }) {
      for (const [i, object] of objects.entries()) {
        const name = `${organization} ${day} ${object}`
        waiting.set(name, { organization, day, object, hundredths: hundredths[i]! })
      }
    },
    list(organization, day) {
      const all = [...underWay.values(), ...waiting.values()]
      return all.filter((each) => each.organization === organization && each.day === day)
    },
    writeNow,
    async close() {
      clearInterval(timer)
      // The write under way may have begun before the last counts were noted, so write again.
      const written = writeNow().then(writeNow)
      await Promise.race([written, late(END_PATIENCE_MS)])
    },
  }
}

function late(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

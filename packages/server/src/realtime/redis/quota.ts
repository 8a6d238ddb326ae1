import type { QuotaCounts } from '../quota-counts.ts'
import type { Charge, ChargeVerdict, DailyQuota } from '../realtime.ts'
import { QuotaUnavailable } from '../realtime.ts'
import type { CountsBehind } from './counts-behind.ts'
import type { Keys } from './keys.ts'
import { CHARGE_ALONE, MERGE_COUNTS } from './scripts/scripts.ts'
import type { Evaluated, Servers } from './servers.ts'

/** Reply of the script `charge`: a verdict, then the counters, or the places of the exhausted objects. */
export type ChargeReply = [verdict: number, ...numbers: number[]]
const UNMERGED = 2
const CHARGED = 1

/** How long a charge waits for the lasting copy to be read. */
const MERGE_PATIENCE_MS = 1_000
/** Counters merged per call. */
const SLICE = 2_000

/** The daily quota in Redis. A lasting copy restores the counters if Redis lost them. */
export type RedisQuota = DailyQuota & {
  /** The verdict in a reply; null if the counters have to be merged first. */
  verdict(organization: number, charge: Charge, reply: ChargeReply): ChargeVerdict | null
}

export function redisQuota(
  servers: Servers,
  keys: Keys,
  counts: QuotaCounts,
  behind: CountsBehind,
): RedisQuota {
  const merging = new Map<string, Promise<void>>()

  function verdict(
    organization: number,
    { objects, day }: Charge,
    [verdict, ...numbers]: ChargeReply,
  ): ChargeVerdict | null {
    if (verdict === UNMERGED) return null
    if (verdict !== CHARGED) {
      return { charged: false, exhausted: numbers.map((place) => objects[place - 1]!) }
    }
    behind.note(organization, day, objects, numbers)
    return { charged: true, used: Math.max(...numbers) }
  }

  async function ask(organization: number, charge: Charge, delta: number): Promise<Evaluated> {
    const { objects, limit, day } = charge
    const [key, listed] = [keys.counters(organization, day), objects.join(' ')]
    try {
      return await servers.evaluate(organization, CHARGE_ALONE, (run) => {
        return { keys: [key], values: [run, limit ?? '', listed, delta] }
      })
    } catch (error) {
      throw asQuotaUnavailable(error)
    }
  }

  async function add(organization: number, charge: Charge, delta: number): Promise<ChargeVerdict> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { result, run } = await ask(organization, charge, delta)
      const told = verdict(organization, charge, result as ChargeReply)
      if (told !== null) return told
      await merged(organization, charge.day, run)
    }
    throw new QuotaUnavailable('The counters were lost again as they were made up.')
  }

  /** A merge that takes longer goes on in the background. */
  async function merged(organization: number, day: number, run: string): Promise<void> {
    const name = `${organization} ${day}`
    let merge = merging.get(name)
    if (merge === undefined) {
      merge = mergeCounts(organization, day, run).finally(() => merging.delete(name))
      merge.catch(() => {})
      merging.set(name, merge)
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new QuotaUnavailable('The counters are still being made up.')
      timer = setTimeout(reject, MERGE_PATIENCE_MS, error)
    })
    await Promise.race([merge, late]).finally(() => clearTimeout(timer))
  }

  async function mergeCounts(organization: number, day: number, run: string): Promise<void> {
    const key = keys.counters(organization, day)
    try {
      const known = await counts.read(organization, day)
      for (const { object, count } of behind.unwritten(organization, day)) {
        known.set(object, Math.max(count, known.get(object) ?? 0))
      }
      const all = [...known]
      for (let start = 0; start === 0 || start < all.length; start += SLICE) {
        const slice = all.slice(start, start + SLICE)
        const objects = slice.map(([object]) => object).join(' ')
        const least = slice.map(([, count]) => count).join(' ')
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

  return {
    verdict,
    charge: (organization, charge) => add(organization, charge, 1),
    /** Reads the lasting copy, because Redis may have lost its counters. No request waits for this. */
    async used(organization, objects, day) {
      const known = await counts.read(organization, day).catch((error) => {
        throw asQuotaUnavailable(error)
      })
      return objects.map((object) => known.get(object) ?? 0)
    },
    async giveBack(organization, objects, day) {
      await add(organization, { objects, limit: null, day }, -1)
    },
  }
}

function asQuotaUnavailable(cause: unknown): QuotaUnavailable {
  return new QuotaUnavailable('The quota’s counters cannot be reached.', { cause })
}

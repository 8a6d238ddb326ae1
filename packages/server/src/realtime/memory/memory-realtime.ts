import { join } from 'node:path'
import type { Clock } from '../../domain/clock.ts'
import { deferringQuota } from '../deferring-quota.ts'
import { type Charge, QuotaUnavailable, type Realtime, type Shared } from '../realtime.ts'
import { memoryDailyQuota } from './daily-quota.ts'
import { memoryRateWindow } from './rate-window.ts'
import { memorySnapshots } from './snapshots.ts'

/** The file of the day's quota counters, beside the database. */
export const QUOTA_JOURNAL = 'quota.journal'

/** The realtime port for a deployment of one process. */
export function openMemoryRealtime(dataFolder: string, clock: Clock): Realtime {
  const window = memoryRateWindow(clock)
  const counters = memoryDailyQuota(join(dataFolder, QUOTA_JOURNAL))
  const quota = deferringQuota(counters)
  const snapshots = memorySnapshots()

  async function charged(
    organization: number,
    charge: Charge,
    { rate, states }: Pick<Shared, 'rate' | 'states'>,
  ): Promise<Shared> {
    try {
      return { rate, charge: await quota.charge(organization, charge), states }
    } catch (error) {
      if (!(error instanceof QuotaUnavailable)) throw error
      return { rate, charge: 'unavailable', states }
    }
  }

  return {
    ask(organization, { charge, states: objects }): Shared | Promise<Shared> {
      const rate = window.take(organization)
      if (!rate.admitted) return { rate, charge: null, states: null }
      const states = snapshots.read(organization, objects)
      if (charge === null) return { rate, charge, states }
      return charged(organization, charge, { rate, states })
    },
    quota,
    snapshots,
    close: counters.close,
  }
}

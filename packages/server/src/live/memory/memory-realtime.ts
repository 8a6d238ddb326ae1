import { join } from 'node:path'
import type { Clock } from '../../domain/time/clock.ts'
import { deferringQuota } from '../deferring-quota.ts'
import type { Charge, Realtime, SharedAnswer } from '../realtime.ts'
import { memoryDailyQuota } from './daily-quota.ts'
import { memoryRateWindow } from './rate-window.ts'
import { memorySnapshots } from './snapshots.ts'
import { memoryStreamPlaces } from './stream-places.ts'

/** The file of the day's quota counters, beside the database. */
export const QUOTA_JOURNAL = 'quota.journal'

/** The realtime port for a deployment of one process. */
export function openMemoryRealtime(dataFolder: string, clock: Clock): Realtime {
  const window = memoryRateWindow(clock)
  const counters = memoryDailyQuota(join(dataFolder, QUOTA_JOURNAL))
  const quota = deferringQuota(counters)
  const snapshots = memorySnapshots()

  async function chargeAndAnswer(
    organization: number,
    charge: Charge,
    { rate, states }: Pick<SharedAnswer, 'rate' | 'states'>,
  ): Promise<SharedAnswer> {
    return { rate, charge: await quota.chargeIfUp(organization, charge), states }
  }

  return {
    ask(organization, needs): SharedAnswer | Promise<SharedAnswer> {
      const { charge, shown } = needs
      const rate = window.take(organization, needs)
      if (!rate.admitted) return { rate, charge: null, states: null }
      const states = snapshots.read(organization, shown)
      if (charge === null) return { rate, charge, states }
      return chargeAndAnswer(organization, charge, { rate, states })
    },
    quota,
    snapshots,
    streams: memoryStreamPlaces(),
    close: counters.close,
  }
}

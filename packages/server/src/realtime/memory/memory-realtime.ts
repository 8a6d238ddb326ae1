import { join } from 'node:path'
import type { Clock } from '../../domain/clock.ts'
import { deferringQuota } from '../deferring-quota.ts'
import type { Realtime } from '../realtime.ts'
import { memoryDailyQuota } from './daily-quota.ts'
import { memoryRateWindow } from './rate-window.ts'
import { memorySnapshots } from './snapshots.ts'

/** The file beside the database that keeps the day's quota counters. */
export const QUOTA_JOURNAL = 'quota.journal'

/** What is current, for a deployment of one process. */
export function openMemoryRealtime(dataFolder: string, clock: Clock): Realtime {
  const quota = memoryDailyQuota(join(dataFolder, QUOTA_JOURNAL))
  return {
    window: memoryRateWindow(clock),
    quota: deferringQuota(quota),
    snapshots: memorySnapshots(),
    async close() {
      quota.close()
    },
  }
}

import type { ChargeVerdict, DailyQuota } from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/**
 * The daily quota of one process: counters in memory. The journal gets each change before the caller
 * learns of it.
 */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): Promise<void> } {
  const journal = openQuotaJournal(journalFile)

  return {
    charge(_organization, { objects, limit, day }): Promise<ChargeVerdict> {
      if (limit !== null) {
        const counts = journal.countsOf(day)
        const exhausted = objects.filter((object) => counts.get(object) >= limit)
        if (exhausted.length > 0) return Promise.resolve({ charged: false, exhausted })
      }
      const { highest: used, written } = journal.append(day, 1, objects)
      return written.then(() => ({ charged: true, used }))
    },
    async used(_organization, objects, day) {
      const counts = journal.countsOf(day)
      return objects.map((object) => counts.get(object))
    },
    giveBack: (_organization, objects, day) => journal.append(day, -1, objects).written,
    async close() {
      await journal.sync()
      journal.close()
    },
  }
}

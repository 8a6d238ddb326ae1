import type { ChargeVerdict, DailyQuota } from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/** Counters in memory, each change written to the journal before it is told to anybody. */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): void } {
  const journal = openQuotaJournal(journalFile)

  return {
    async charge(_organization, { objects, limit, day }): Promise<ChargeVerdict> {
      const counts = journal.countsOf(day)
      if (limit !== null) {
        const exhausted = objects.filter((object) => (counts.get(object) ?? 0) >= limit)
        if (exhausted.length > 0) return { charged: false, exhausted }
      }
      const written = journal.append(day, 1, objects)
      let used = 0
      for (const object of objects) used = Math.max(used, counts.get(object)!)
      await written
      return { charged: true, used }
    },
    giveBack: (_organization, objects, day) => journal.append(day, -1, objects),
    close: journal.close,
  }
}

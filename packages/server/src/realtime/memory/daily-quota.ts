import type { DailyQuota } from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/** Counters in memory, each change written to the journal before it is told to anybody. */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): void } {
  const journal = openQuotaJournal(journalFile)

  /** The highest count among the objects once `delta` is added to each. */
  function add(objects: number[], day: number, delta: number): number {
    journal.append(day, delta, objects)
    const counts = journal.countsOf(day)
    return objects.reduce((highest, object) => Math.max(highest, counts.get(object)!), 0)
  }

  return {
    async charge(_organization, objects, limit, day) {
      if (limit !== null) {
        const counts = journal.countsOf(day)
        const exhausted = objects.filter((object) => (counts.get(object) ?? 0) >= limit)
        if (exhausted.length > 0) return { charged: false, exhausted }
      }
      return { charged: true, used: add(objects, day, 1) }
    },
    async count(_organization, object, day) {
      return add([object], day, 1)
    },
    async giveBack(_organization, objects, day) {
      add(objects, day, -1)
    },
    close: journal.close,
  }
}

import type { DailyQuota } from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/** Counters in memory, each change written to the journal before it is told to anybody. */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): void } {
  const journal = openQuotaJournal(journalFile)

  function add(objects: number[], day: number, delta: number): number {
    journal.append(day, delta, objects)
    const counts = journal.countsOf(day)
    let highest = 0
    for (const object of objects) {
      const count = (counts.get(object) ?? 0) + delta
      counts.set(object, count)
      if (count > highest) highest = count
    }
    return highest
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

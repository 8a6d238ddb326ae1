import type { DailyQuota } from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/** Counters in memory, each change written to the journal before it is told to anybody. */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): void } {
  const journal = openQuotaJournal(journalFile)

  /** The highest count among the objects once `delta` is added to each. */
  async function add(objects: number[], day: number, delta: number): Promise<number> {
    const written = journal.append(day, delta, objects)
    const counts = journal.countsOf(day)
    let highest = 0
    for (const object of objects) highest = Math.max(highest, counts.get(object)!)
    await written
    return highest
  }

  return {
    async charge(_organization, objects, limit, day) {
      if (limit !== null) {
        const counts = journal.countsOf(day)
        const exhausted = objects.filter((object) => (counts.get(object) ?? 0) >= limit)
        if (exhausted.length > 0) return { charged: false, exhausted }
      }
      return { charged: true, used: await add(objects, day, 1) }
    },
    count(_organization, object, day) {
      return add([object], day, 1)
    },
    async giveBack(_organization, objects, day) {
      await add(objects, day, -1)
    },
    close: journal.close,
  }
}

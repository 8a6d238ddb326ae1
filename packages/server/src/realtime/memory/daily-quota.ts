import { HUNDREDTHS_PER_UNIT } from '../../domain/quota-count.ts'
import {
  amountAt,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  type Exhausted,
} from '../realtime.ts'
import { openQuotaJournal } from './quota-journal.ts'

/**
 * The daily quota of one process: counters in memory. The journal gets each change before the caller
 * learns of it.
 */
export function memoryDailyQuota(journalFile: string): DailyQuota & { close(): Promise<void> } {
  const journal = openQuotaJournal(journalFile)

  function exhaustedBy(charge: Charge): Exhausted {
    const refused: Exhausted = { exhausted: [], left: [] }
    if (charge.limit === null) return refused
    const counts = journal.countsOf(charge.day)
    const limit = charge.limit * HUNDREDTHS_PER_UNIT
    for (let i = 0; i < charge.objects.length; i += 1) {
      const left = limit - counts.get(charge.objects[i]!)
      if (left >= amountAt(charge, i)) continue
      refused.exhausted.push(charge.objects[i]!)
      refused.left.push(Math.max(left, 0))
    }
    return refused
  }

  return {
    charge(_organization, charge): Promise<ChargeVerdict> {
      const refused = exhaustedBy(charge)
      if (refused.exhausted.length > 0) return Promise.resolve({ charged: false, ...refused })
      const { highest: used, written } = journal.append(charge, 1)
      return written.then(() => ({ charged: true, used }))
    },
    async used(_organization, objects, day) {
      const counts = journal.countsOf(day)
      return objects.map((object) => counts.get(object))
    },
    giveBack: (_organization, amounts) => journal.append(amounts, -1).written,
    async close() {
      await journal.sync()
      journal.close()
    },
  }
}

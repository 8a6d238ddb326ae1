import { HUNDREDTHS_PER_UNIT } from '../../domain/limits.ts'
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
    const require = (object: number, amount: number) => {
      const left = limit - counts.get(object)
      if (left >= amount) return
      refused.exhausted.push(object)
      refused.left.push(Math.max(left, 0))
    }
    for (let i = 0; i < charge.objects.length; i += 1) {
      require(charge.objects[i]!, amountAt(charge, i))
    }
    for (const object of charge.ableToPay ?? []) require(object, HUNDREDTHS_PER_UNIT)
    return refused
  }

  return {
    charge(_organization, charge): Promise<ChargeVerdict> {
      const refused = exhaustedBy(charge)
      if (refused.exhausted.length > 0) return Promise.resolve({ charged: false, ...refused })
      if (charge.objects.length === 0) return Promise.resolve({ charged: true, used: null })
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

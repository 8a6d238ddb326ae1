import { join } from 'node:path'
import type { QuotaCount } from '../../domain/limits.ts'
import { QUOTA_JOURNAL } from './memory-realtime.ts'
import { readQuotaJournal, writeQuotaJournal } from './quota-journal.ts'

/** The counters of a data folder from the UTC day `since` on. The journal does not name organizations. */
export function readJournaledCounts(
  folder: string,
  since: number,
): Omit<QuotaCount, 'organization'>[] {
  const counts: Omit<QuotaCount, 'organization'>[] = []
  for (const [day, byObject] of readQuotaJournal(join(folder, QUOTA_JOURNAL))) {
    if (day < since) continue
    for (const [object, hundredths] of byObject) counts.push({ day, object, hundredths })
  }
  return counts
}

/** Replaces the counters of a data folder that no process serves. */
export function writeJournaledCounts(
  folder: string,
  counts: Iterable<Omit<QuotaCount, 'organization'>>,
): void {
  const days = new Map<number, Map<number, number>>()
  for (const { day, object, hundredths } of counts) {
    const byObject = days.get(day) ?? new Map<number, number>()
    days.set(day, byObject.set(object, hundredths))
  }
  writeQuotaJournal(join(folder, QUOTA_JOURNAL), days)
}

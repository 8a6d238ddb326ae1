import { takeBatch } from '../folding/take-batch.ts'
import { atOnce } from '../folding/work.ts'
import type { PositionStore } from '../store.ts'
import type { Database } from './database.ts'
import { foldTables } from './tables.ts'
import type { TrackedObjects } from './tracked.ts'

/** Fixes of one transaction: 0.5 ms, during which nothing else runs in this process. */
export const APPEND_SIZE = 10

export function appender(database: Database, tracked: TrackedObjects): PositionStore['append'] {
  const tables = foldTables(database.writer)
  return (organization, batch, tracking) =>
    tracked.write((change) => {
      const mine = tracked.of(organization)
      const taken = takeBatch(tables, mine.find, batch, change, tracking)
      const { outcomes, touched } = atOnce(taken)
      return { result: outcomes, change: mine.save(touched, change) }
    })
}

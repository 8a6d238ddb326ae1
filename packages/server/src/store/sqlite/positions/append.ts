import { takeAddresses } from '../../../tracking/take-addresses.ts'
import { takeBatch } from '../../../tracking/take-batch.ts'
import { runAtOnce } from '../../../tracking/work.ts'
import type { PositionStore } from '../../position-store.ts'
import type { Database } from '../database/database.ts'
import type { Noted } from '../tables.ts'
import { foldTables } from './fold-tables.ts'
import type { FoldTargets } from './fold-targets.ts'

/** Fixes of one transaction: 0.5 ms, during which nothing else runs in this process. */
export const APPEND_SIZE = 10

/** Begins, reads, folds and writes here. `Database` then commits, reports to the watchers, and syncs. */
export function appender(
  database: Database,
  targets: FoldTargets,
  noted: Noted,
): PositionStore['append'] {
  const tables = { ...foldTables(database.writer), notes: targets.notes }
  return (organization, batch, rules, note) =>
    database.write((transaction) => {
      const write = targets.begin(transaction, organization)
      const taking = takeBatch(tables, write.find, batch, write.change, rules)
      const { outcomes, touched } = runAtOnce(taking)
      write.save(touched)
      return noted(outcomes, note)
    })
}

/** Stores addresses in the states of objects. */
export function addressWriter(database: Database, targets: FoldTargets): PositionStore['address'] {
  return (organization, addresses) =>
    database.write((transaction) => {
      const write = targets.begin(transaction, organization)
      write.save(takeAddresses(write.find, addresses))
    })
}

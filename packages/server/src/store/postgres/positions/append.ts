import type { NewFix } from '../../../tracking/outcome.ts'
import type { FindFoldTarget } from '../../../tracking/tables.ts'
import { takeAddresses } from '../../../tracking/take-addresses.ts'
import { takeBatch } from '../../../tracking/take-batch.ts'
import { runAwaiting } from '../../../tracking/work.ts'
import type { PositionStore } from '../../position-store.ts'
import type { OrganizationWrites } from '../organization-writes.ts'
import { noted } from '../tables.ts'
import { foldBuffer } from './fold-buffer.ts'
import type { FoldTargets } from './fold-targets.ts'

/** Objects whose late fixes are read together. */
const MAX_OBJECTS_AHEAD = 5_000

/** A transaction costs as much as 100 fixes in it, and the process mostly waits meanwhile. */
export const APPEND_SIZE = 200

/** Begins, reads, folds and writes here. `OrganizationWrites` then commits, and reports to the watchers. */
export function appender(
  writes: OrganizationWrites,
  targets: FoldTargets,
): PositionStore['append'] {
  return async (organization, batch, rules, note) => {
    const objects = batch.map(({ object }) => object)
    const outcomes = await writes.write(organization, async (begun) => {
      const write = await targets.begin(begun, objects)
      const tables = foldBuffer(write)
      await tables.positions.readAhead(lateMoments(batch, write.find))
      const taking = takeBatch(tables, write.find, batch, write.change, rules)
      const { outcomes, touched } = await runAwaiting(taking)
      await tables.flush()
      write.save(touched)
      return noted(begun, outcomes, note)
    })
    return outcomes ?? batch.map(() => 'unknown_object')
  }
}

/** Stores addresses in the states of objects. */
export function addressWriter(
  writes: OrganizationWrites,
  targets: FoldTargets,
): PositionStore['address'] {
  return async (organization, addresses) => {
    await writes.write(organization, async (begun) => {
      const write = await targets.begin(begun, addresses.keys())
      write.save(takeAddresses(write.find, addresses))
    })
  }
}

/** For each object with late fixes, the time of the first one. */
function lateMoments(batch: readonly NewFix[], find: FindFoldTarget): Map<number, number> {
  const moments = new Map<number, number>()
  for (const { object, fix } of batch) {
    const newest = find(object)?.state.fold?.at
    if (newest === undefined || fix.timeDevice > newest) continue
    const first = moments.get(object)
    if (first === undefined && moments.size === MAX_OBJECTS_AHEAD) continue
    moments.set(object, Math.min(fix.timeDevice, first ?? fix.timeDevice))
  }
  return moments
}

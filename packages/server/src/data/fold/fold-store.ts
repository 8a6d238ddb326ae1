import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { Note } from '../../engine/store/audit-store.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import { takeAddresses } from '../../engine/tracking/derive-object-state.ts'
import type { AppendOutcome, FindFoldTarget, NewFix } from '../../engine/tracking/fold-tables.ts'
import { takeBatch } from '../../engine/tracking/take-batch.ts'
import type { Work } from '../../engine/tracking/work.ts'
import type { PositionForm, TablesOf } from '../positions/position-tables.ts'
import { noted } from '../tables/audit-tables.ts'
import type { OrganizationSql, Tables } from '../tables/sql.ts'
import { positionEraser } from './erased-positions.ts'
import { foldBuffers } from './fold-buffer.ts'
import { foldTargets } from './fold-targets.ts'
import { nameForgetter } from './forgotten-names.ts'
import { positionMover } from './moved-positions.ts'
import { statesReader } from './object-states.ts'
import { isOutdated, refolder } from './refold.ts'
import { rejectRows } from './rejected-packets.ts'

/** Objects whose late fixes are read together. */
const MAX_OBJECTS_AHEAD = 5_000

type FoldStore = Pick<
  PositionStore,
  | 'appendSize'
  | 'append'
  | 'address'
  | 'rejects'
  | 'requestRefold'
  | 'refold'
  | 'forgetNames'
  | 'moveSlice'
  | 'erase'
  | 'eraseSlice'
  | 'erasures'
  | 'storedIn'
  | 'states'
  | 'requestNewRules'
  | 'waitingForRefold'
>

/** Takes positions, and folds them into the states of their objects. */
export function foldStore(tables: Tables, form: PositionForm, tablesOf: TablesOf): FoldStore {
  const { dialect, read, change } = tables
  const targets = foldTargets(dialect)
  const buffered = foldBuffers(dialect, form, tablesOf)
  const rejects = rejectRows(dialect)
  const { refoldByNewRules, ...refolding } = refolder(tables, targets, buffered)

  function* append(
    sql: OrganizationSql,
    batch: readonly NewFix[],
    rules: FoldRules,
    note: Note<AppendOutcome[]> | undefined,
  ): Work<AppendOutcome[] | { outdated: Iterable<number> }> {
    const objects = new Set(batch.map(({ object }) => object))
    const write = yield* targets.begin(sql, objects)
    const outdated = [...objects].filter((object) => {
      const target = write.find(object)
      return target !== null && isOutdated(target, rules)
    })
    if (outdated.length > 0) return { outdated }
    const buffer = buffered(write)
    yield* buffer.positions.readAhead(lateMoments(batch, write.find))
    const taken = yield* takeBatch(buffer, write.find, batch, write.change, rules)
    yield* buffer.flush()
    write.save(taken.touched, rules.version, () => buffer.positions.written())
    return yield* noted(sql, taken.outcomes, note)
  }

  return {
    appendSize: form.appendSize,
    async append(organization, batch, rules, note) {
      for (;;) {
        const taken = await change(organization, (sql) => append(sql, batch, rules, note))
        if (taken === null) return batch.map(() => 'unknown_object')
        if (!('outdated' in taken)) return taken
        for (const object of taken.outdated) await refoldByNewRules(organization, object, rules)
      }
    },
    async address(organization, addresses) {
      await change(organization, function* (sql) {
        const write = yield* targets.begin(sql, addresses.keys())
        write.save(takeAddresses(write.find, addresses), null)
      })
    },
    async rejects(organization, object) {
      const found = await read((sql) => rejects.listed(sql, organization, [object]))
      return found.get(object) ?? []
    },
    ...refolding,
    ...positionMover(tables, targets, buffered),
    ...positionEraser(tables, targets, buffered, tablesOf),
    ...nameForgetter(tables, targets),
    states: statesReader(tables),
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

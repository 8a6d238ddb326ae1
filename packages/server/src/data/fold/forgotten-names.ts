import { addedNames, withForgotten } from '../../base/domain/position/current-attributes.ts'
import type { PositionStore } from '../../engine/store/position-store.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import { nameCounts } from '../tables/attribute-tables.ts'
import { noted } from '../tables/audit-tables.ts'
import { objectsAfter } from '../tables/record-reads.ts'
import type { Tables } from '../tables/sql.ts'
import type { FoldTargets } from './fold-targets.ts'

/** Objects of one transaction. Their states take some milliseconds, unless they have hundreds of names. */
const SLICE_OBJECTS = 200

/** Forgets names of attributes, with others writing between the slices. */
export function nameForgetter(
  { dialect, change }: Tables,
  targets: FoldTargets,
): Pick<PositionStore, 'forgetNames'> {
  const count = nameCounts(dialect)
  return {
    async forgetNames(organization, names, after, note) {
      return change(organization, function* (sql) {
        const objects = yield* objectsAfter(sql, organization, after, SLICE_OBJECTS)
        const write = yield* targets.begin(sql, objects)
        const touched = new Map<number, FoldTarget>()
        const counts = new Map<string, number>()
        for (const object of objects) {
          const target = write.find(object)!
          const { state } = target
          const attributes = withForgotten(state.attributes, names)
          const gone = addedNames(attributes, state.attributes)
          if (gone.length === 0) continue
          for (const name of gone) counts.set(name, (counts.get(name) ?? 0) - 1)
          touched.set(object, { ...target, state: { ...state, attributes } })
        }
        count(sql, counts)
        write.save(touched, null)
        const next = objects.length < SLICE_OBJECTS ? null : objects.at(-1)!
        return yield* noted(sql, next, note)
      })
    },
  }
}

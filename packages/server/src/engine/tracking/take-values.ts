import type { Attribute } from '../../base/domain/position/attribute.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { withoutErasedValues } from './derive-object-state.ts'
import type { FoldTarget, Positions, Tables } from './fold-tables.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import { withoutValues } from './withheld.ts'
import type { Work } from './work.ts'

/** Positions of which other attributes are written, and nothing else. */
export type Reworded = Positions & {
  /** Gives a position that was read these attributes. */
  reword(owned: Owned, time: number, attributes: readonly Attribute[] | null): Work<void>
}

type TakenValues = {
  target: FoldTarget
  /** Number of positions that had a value. */
  count: number
  /** The time up to which positions are left. Null: none is. */
  leftTo: number | null
}

/** Positions that are read for one that has a value. */
const READ_FOR_ONE = 4

/**
 * Takes the values of an erased attribute from the newest positions of a range, at most `limit`. No fold reads attributes, so
 * nothing else of the object changes but its current values. Throws `UnreadablePositions`.
 */
export function* takeValues(
  tables: Pick<Tables, 'notes'> & { positions: Reworded },
  target: FoldTarget,
  attribute: string,
  { from, to }: TimeRange,
  limit: number,
): Work<TakenValues> {
  const { positions, notes } = tables
  const { object, state, shifts } = target
  const owned: Owned = {
    ...{ organization: object.organization, object: object.id },
    ...{ shifts, names: state.attributes },
  }
  let [count, leftTo]: [number, number | null] = [0, to]
  for (let read = 0; leftTo !== null && read < limit * READ_FOR_ONE && count < limit; read += 1) {
    const next: StoredPosition | null = yield* positions.before(owned, leftTo + 1)
    if (next === null || next.fix.timeDevice < from) {
      leftTo = null
      break
    }
    const { fix, hidden }: StoredPosition = next
    leftTo = fix.timeDevice - 1
    const left = withoutValues(fix, ({ name }) => name === attribute)
    if (left === fix) continue
    count += 1
    yield* positions.reword(owned, fix.timeDevice, left.attributes)
    if (hidden === null) notes.position(object.id, fix.timeDevice)
    else notes.rewritten(object.id, fix.timeDevice)
  }
  const ranges = target.erasedValues.get(attribute) ?? []
  const current = state.attributes
  const attributes = yield* withoutErasedValues(
    ...([positions, owned, current, attribute, ranges, count] as const),
  )
  const after = attributes === current ? target : { ...target, state: { ...state, attributes } }
  return { target: after, count, leftTo }
}

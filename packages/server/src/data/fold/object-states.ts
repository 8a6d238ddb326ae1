import { takeTurn } from '../../base/domain/common/slots.ts'
import {
  type ObjectState,
  packState,
  type StateParts,
  unpackState,
} from '../../base/domain/position/object-state.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { type Dialect, inParts, type Sql, type Tables } from '../tables/sql.ts'

/** States read by one statement: unpacking takes one or two milliseconds. */
const SLICE_STATES = 500

const SELECT = `
  SELECT object, last_fix AS "lastFix", numbers, address, address_at AS "addressAt", attributes
  FROM object_states WHERE organization = $1`
const NEXT = `${SELECT} AND object > $2 ORDER BY object LIMIT ${SLICE_STATES}`
const REPLACE = `
  ON CONFLICT (organization, object) DO UPDATE SET last_fix = excluded.last_fix,
    numbers = excluded.numbers, address = excluded.address, address_at = excluded.address_at,
    attributes = excluded.attributes, rules = coalesce(object_states.rules, excluded.rules)`
type StateRow = StateParts & { object: number }
type NamedState = [object: number, state: ObjectState]

export type StateRows = {
  /** The states of those of some objects that have one. The call sends the question. */
  listed(sql: Sql, organization: number, objects: readonly number[]): Work<NamedState[]>
  /** `rules`: the version of those that folded. Kept if rules of another version folded before. */
  save(sql: Sql, organization: number, states: Iterable<NamedState>, rules: number | null): void
}

export function stateRows({ isIn, list, rowWriter }: Dialect): StateRows {
  const listed = `${SELECT} AND ${isIn('object', '$2')}`
  const write = rowWriter(
    'object_states',
    {
      ...{ object: 'bigint', last_fix: 'bytea', numbers: 'bytea', address: 'text' },
      ...{ address_at: 'bigint', attributes: 'bytea', rules: 'bigint' },
    },
    REPLACE,
  )
  return {
    listed: ({ all }, organization, objects) =>
      named(all<StateRow>(listed, [organization, list(objects as number[])])),
    save(sql, organization, states, rules) {
      const rows = Array.from(states, ([object, state]) => {
        const { lastFix, numbers, address, addressAt, attributes } = packState(state)
        return [object, lastFix, numbers, address, addressAt, attributes, rules]
      })
      write(sql, organization, rows)
    },
  }
}

function* named(reading: Work<StateRow[]>): Work<NamedState[]> {
  return (yield* reading).map((row) => [row.object, unpackState(row)])
}

/** `PositionStore.states`. */
type StatesReader = (
  organization: number,
  objects?: readonly number[],
) => Promise<Map<number, ObjectState>>

/** Reads states slice by slice. Each state is consistent, and others are served between the slices. */
export function statesReader({ dialect, read }: Pick<Tables, 'dialect' | 'read'>): StatesReader {
  const { listed } = stateRows(dialect)
  return async (organization, objects) => {
    const listedIn = (part: readonly number[]) => read((sql) => listed(sql, organization, part))
    if (objects !== undefined) return new Map(await inParts(objects, SLICE_STATES, listedIn))
    const states = new Map<number, ObjectState>()
    for (let after = 0; ; await takeTurn()) {
      const from = after
      const rows = await read(({ all }) => named(all<StateRow>(NEXT, [organization, from])))
      for (const [object, state] of rows) states.set(object, state)
      if (rows.length < SLICE_STATES) return states
      after = rows.at(-1)![0]
    }
  }
}

import { takeTurn } from '../../base/domain/common/slots.ts'
import {
  type ObjectState,
  packState,
  type StateParts,
  unpackState,
} from '../../base/domain/position/object-state.ts'
import type { FoldTarget } from '../../engine/tracking/fold-tables.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { type Dialect, inParts, type Sql, type Tables } from '../tables/sql.ts'

/** States read by one statement: unpacking takes one or two milliseconds. */
const SLICE_STATES = 500

const SELECT = `
  SELECT object, last_fix AS "lastFix", numbers, address, address_at AS "addressAt", attributes, rules
  FROM object_states WHERE organization = $1`
const NEXT = `${SELECT} AND object > $2 ORDER BY object LIMIT ${SLICE_STATES}`
const REPLACE = `
  ON CONFLICT (organization, object) DO UPDATE SET last_fix = excluded.last_fix,
    numbers = excluded.numbers, address = excluded.address, address_at = excluded.address_at,
    attributes = excluded.attributes, rules = excluded.rules`
type StateRow = StateParts & Pick<NamedState, 'object' | 'rules'>
/** `rules`: the version of those that folded its first positions. */
type NamedState = { object: number; state: ObjectState; rules: number | null }

export type StateRows = {
  /** The states of those of some objects that have one. The call sends the question. */
  listed(sql: Sql, organization: number, objects: readonly number[]): Work<NamedState[]>
  save(sql: Sql, organization: number, states: readonly FoldTarget[]): void
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
    save(sql, organization, states) {
      const rows = states.map(({ object, state, rules }) => {
        const { lastFix, numbers, address, addressAt, attributes } = packState(state)
        return [object.id, lastFix, numbers, address, addressAt, attributes, rules]
      })
      write(sql, organization, rows)
    },
  }
}

function* named(reading: Work<StateRow[]>): Work<NamedState[]> {
  return (yield* reading).map((row) => {
    return { object: row.object, state: unpackState(row), rules: row.rules }
  })
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
    const states = new Map<number, ObjectState>()
    const add = (rows: readonly NamedState[]) => {
      for (const { object, state } of rows) states.set(object, state)
    }
    if (objects !== undefined) {
      add(await inParts(objects, SLICE_STATES, listedIn))
      return states
    }
    for (let after = 0; ; await takeTurn()) {
      const from = after
      const rows = await read(({ all }) => named(all<StateRow>(NEXT, [organization, from])))
      add(rows)
      if (rows.length < SLICE_STATES) return states
      after = rows.at(-1)!.object
    }
  }
}

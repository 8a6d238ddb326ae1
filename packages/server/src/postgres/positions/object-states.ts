import { takeTurn } from '../../domain/common/slots.ts'
import {
  type ObjectState,
  type StateParts,
  unpackState,
} from '../../domain/position/object-state.ts'
import type { PositionStore } from '../../store/position-store.ts'
import { inParts } from '../../store/tables/sql.ts'
import { statement } from '../connection/connections.ts'
import { bigintOf, type Field } from '../connection/copy-command.ts'
import type { Connection } from '../connection/database.ts'
import { int8Array } from '../connection/given-rows.ts'
import type { RowReader } from '../connection/reading.ts'

/** States read by one statement: unpacking takes one or two milliseconds. */
const SLICE_STATES = 500

const NEXT = statement(`
  SELECT object, last_fix, numbers, address, address_at, attributes FROM object_states
  WHERE organization = $1 AND object > $2 ORDER BY object LIMIT $3`)
const LISTED = statement(`
  SELECT object, last_fix, numbers, address, address_at, attributes FROM object_states
  WHERE organization = $1 AND object = ANY($2)`)

/** Reads states slice by slice. Each state is consistent, and others are served between the slices. */
export function statesReader({ copy }: RowReader): PositionStore['states'] {
  return async (organization, objects) => {
    const listed = async (part: readonly number[]) =>
      (await copy(LISTED, [organization, part])).map(namedState)
    if (objects !== undefined) return new Map(await inParts(objects, SLICE_STATES, listed))
    const states = new Map<number, ObjectState>()
    for (let after = 0; ; await takeTurn()) {
      const rows = (await copy(NEXT, [organization, after, SLICE_STATES])).map(namedState)
      for (const [object, state] of rows) states.set(object, state)
      if (rows.length < SLICE_STATES) return states
      after = rows.at(-1)![0]
    }
  }
}

function namedState(row: Field[]): [object: number, state: ObjectState] {
  const [object, lastFix, numbers, address, addressAt, attributes] = row
  const state = unpackState({
    lastFix: lastFix!,
    numbers: numbers!,
    address: address?.toString('utf8') ?? null,
    addressAt: bigintOf(addressAt),
    attributes: attributes!,
  })
  return [bigintOf(object)!, state]
}

const FOUND = statement(`
  SELECT object, last_fix AS "lastFix", numbers, address, address_at AS "addressAt", attributes
  FROM object_states WHERE organization = $1 AND object = ANY($2::int8[])
`)

/** Reads the states of objects over one connection, such as one with an open transaction. */
export async function readStates(
  { query }: Pick<Connection, 'query'>,
  organization: number,
  objects: readonly number[],
): Promise<Map<number, ObjectState>> {
  const rows = await query<StateParts & { object: number }>(FOUND, [
    organization,
    int8Array(objects),
  ])
  return new Map(rows.map((row) => [row.object, unpackState(row)]))
}

const COLUMNS = 'from_time AS "from", odometer, engine_hours AS "engineHours"'

/** The `Shift`s of an object, by time. */
export const SHIFTS = statement(`
  SELECT ${COLUMNS} FROM counter_shifts
  WHERE organization = $1 AND object = $2 ORDER BY from_time
`)
/** The `ShiftOfObject`s of some objects. */
export const SHIFTS_OF = statement(`
  SELECT object, ${COLUMNS} FROM counter_shifts
  WHERE organization = $1 AND object = ANY($2::int8[]) ORDER BY object, from_time
`)

import type { ObjectState } from '../../../domain/position/object-state.ts'
import { type StateParts, unpackState } from '../../../domain/position/state-record.ts'
import { takeTurn } from '../../../domain/turn.ts'
import type { PositionStore } from '../../store.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { statement } from '../connection/connections.ts'
import { bigintOf, type Field } from '../connection/copy-command.ts'
import type { RowReader } from '../connection/reading.ts'
import type { Connection } from '../database.ts'

/** States read by one statement: unpacking takes one or two milliseconds. */
const SLICE_STATES = 500

const NEXT = statement(`
  SELECT object, last_fix, numbers, address, address_at FROM object_states
  WHERE organization = $1 AND object > $2 ORDER BY object LIMIT $3`)
const LISTED = statement(`
  SELECT object, last_fix, numbers, address, address_at FROM object_states
  WHERE organization = $1 AND object = ANY($2)`)

/** Reads states slice by slice. Each state is consistent, and others are served between the slices. */
export function statesReader({ copy }: RowReader): PositionStore['states'] {
  return async (organization, objects) => {
    const states = new Map<number, ObjectState>()
    const add = (rows: Field[][]) => {
      for (const row of rows) states.set(bigintOf(row[0])!, stateOf(row))
    }
    if (objects !== undefined) {
      for (let start = 0; start < objects.length; start += SLICE_STATES) {
        if (start > 0) await takeTurn()
        add(await copy(LISTED, [organization, objects.slice(start, start + SLICE_STATES)]))
      }
      return states
    }
    for (let after = 0; ; await takeTurn()) {
      const rows = await copy(NEXT, [organization, after, SLICE_STATES])
      add(rows)
      if (rows.length < SLICE_STATES) return states
      after = bigintOf(rows.at(-1)![0])!
    }
  }
}

function stateOf([, lastFix, numbers, address, addressAt]: Field[]): ObjectState {
  return unpackState({
    lastFix: lastFix!,
    numbers: numbers!,
    address: address?.toString('utf8') ?? null,
    addressAt: bigintOf(addressAt),
  })
}

const FOUND = statement(`
  SELECT object, last_fix AS "lastFix", numbers, address, address_at AS "addressAt"
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

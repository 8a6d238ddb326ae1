import type { ObjectState } from '../../domain/object-state.ts'
import { unpackState } from '../../domain/state-record.ts'
import { takeTurn } from '../../domain/turn.ts'
import type { PositionStore } from '../store.ts'
import { bigintOf, type Field } from './binary-copy.ts'
import { statement } from './statement.ts'
import type { Copying } from './stretches.ts'

/** States read by one statement: unpacking takes one or two milliseconds. */
const SLICE = 500

const NEXT = statement(`
  SELECT object, last_fix, numbers, address, address_at FROM object_states
  WHERE organization = $1 AND object > $2 ORDER BY object LIMIT $3`)
const LISTED = statement(`
  SELECT object, last_fix, numbers, address, address_at FROM object_states
  WHERE organization = $1 AND object = ANY($2)`)

/** Reads states slice by slice. Each state is consistent, and others are served between the slices. */
export function statesReader({ copy }: Copying): PositionStore['states'] {
  return async (organization, objects) => {
    const states = new Map<number, ObjectState>()
    const add = (rows: Field[][]) => {
      for (const row of rows) states.set(bigintOf(row[0])!, stateOf(row))
    }
    if (objects !== undefined) {
      for (let start = 0; start < objects.length; start += SLICE) {
        if (start > 0) await takeTurn()
        add(await copy(LISTED, [organization, objects.slice(start, start + SLICE)]))
      }
      return states
    }
    for (let after = 0; ; await takeTurn()) {
      const rows = await copy(NEXT, [organization, after, SLICE])
      add(rows)
      if (rows.length < SLICE) return states
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

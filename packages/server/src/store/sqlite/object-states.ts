import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { packFix, unpackFix } from '../../domain/fix-record.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import { packNumbers, unpackNumbers } from '../../domain/state-record.ts'
import type { Database } from './database.ts'

const SLICE = 500
const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

/** What an append reads and writes of objects' states, inside its transaction. */
export function stateRows(writer: DatabaseSync) {
  const find = writer.prepare('SELECT * FROM object_states WHERE organization = ? AND object = ?')
  const save = writer.prepare(`
    INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET last_fix = excluded.last_fix, numbers = excluded.numbers,
      address = excluded.address, address_at = excluded.address_at
  `)
  return {
    find(organization: number, object: number): ObjectState | null {
      const row = find.get(organization, object) as StateRow | undefined
      return row === undefined ? null : stateOf(row)
    },
    save(organization: number, object: number, state: ObjectState): void {
      const { lastFix, address } = state
      save.run(
        organization,
        object,
        lastFix === null ? null : packFix(lastFix, state.track ?? NO_COUNTERS),
        packNumbers(state),
        address?.value ?? null,
        address?.at ?? null,
      )
    },
  }
}

/** Reads states slice by slice: each is whole, and others are answered between the slices. */
export function statesReader(
  database: Database,
): (organization: number, objects?: number[]) => Promise<Map<number, ObjectState>> {
  const { reader } = database
  const slice = reader.prepare(`
    SELECT * FROM object_states WHERE organization = ? AND object > ? ORDER BY object LIMIT ${SLICE}
  `)
  const listed = reader.prepare(`
    SELECT * FROM object_states
    WHERE organization = ? AND object IN (SELECT value FROM json_each(?))
  `)

  return async (organization, objects) => {
    const states = new Map<number, ObjectState>()
    if (objects !== undefined) {
      for (let start = 0; start < objects.length; start += SLICE) {
        if (start > 0) await yieldToOthers()
        const ids = JSON.stringify(objects.slice(start, start + SLICE))
        const rows = database.read(() => listed.all(organization, ids)) as StateRow[]
        for (const row of rows) states.set(row.object, stateOf(row))
      }
      return states
    }
    for (let after = 0; ; await yieldToOthers()) {
      const rows = database.read(() => slice.all(organization, after)) as StateRow[]
      for (const row of rows) states.set(row.object, stateOf(row))
      if (rows.length < SLICE) return states
      after = rows.at(-1)!.object
    }
  }
}

type StateRow = {
  object: number
  last_fix: Uint8Array | null
  numbers: Uint8Array
  address: string | null
  address_at: number | null
}

function stateOf(row: StateRow): ObjectState {
  const { address, address_at: at } = row
  return {
    ...unpackNumbers(row.numbers),
    lastFix: row.last_fix === null ? null : unpackFix(row.last_fix),
    address: address === null || at === null ? null : { value: address, at },
  }
}

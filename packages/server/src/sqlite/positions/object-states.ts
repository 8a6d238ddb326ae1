import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../domain/common/slots.ts'
import {
  type ObjectState,
  packState,
  type StateParts,
  unpackState,
} from '../../domain/position/object-state.ts'
import { inParts } from '../../store/tables/sql.ts'
import type { Database } from '../database/database.ts'

const SLICE_STATES = 500
const COLUMNS = 'object, last_fix AS lastFix, numbers, address, address_at AS addressAt, attributes'

/** Reads and writes the states of objects inside the transaction of an append. */
export function stateRows(writer: DatabaseSync) {
  const find = writer.prepare(
    `SELECT ${COLUMNS} FROM object_states WHERE organization = ? AND object = ?`,
  )
  const list = writer.prepare(`
    SELECT ${COLUMNS} FROM object_states
    WHERE organization = ? AND object IN (SELECT value FROM json_each(?))
  `)
  const save = writer.prepare(`
    INSERT INTO object_states (organization, object, last_fix, numbers, address, address_at, attributes)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET last_fix = excluded.last_fix, numbers = excluded.numbers,
      address = excluded.address, address_at = excluded.address_at,
      attributes = excluded.attributes
  `)
  return {
    find(organization: number, object: number): ObjectState | null {
      const row = find.get(organization, object) as StateRow | undefined
      return row === undefined ? null : unpackState(row)
    },
    list(organization: number, objects: readonly number[]): [object: number, state: ObjectState][] {
      const rows = list.all(organization, JSON.stringify(objects)) as StateRow[]
      return rows.map((row) => [row.object, unpackState(row)])
    },
    save(organization: number, object: number, state: ObjectState): void {
      const { lastFix, numbers, address, addressAt, attributes } = packState(state)
      save.run(organization, object, lastFix, numbers, address, addressAt, attributes)
    },
  }
}

/** Reads states slice by slice. Each state is consistent, and others are served between the slices. */
export function statesReader(
  database: Database,
): (organization: number, objects?: number[]) => Promise<Map<number, ObjectState>> {
  const { reader } = database
  const slice = reader.prepare(`
    SELECT ${COLUMNS} FROM object_states
    WHERE organization = ? AND object > ? ORDER BY object LIMIT ${SLICE_STATES}
  `)
  const { list } = stateRows(reader)

  return async (organization, objects) => {
    if (objects !== undefined) {
      const listed = (part: readonly number[]) => database.read(() => list(organization, part))
      return new Map(await inParts(objects, SLICE_STATES, listed))
    }
    const states = new Map<number, ObjectState>()
    for (let after = 0; ; await takeTurn()) {
      const rows = database.read(() => slice.all(organization, after)) as StateRow[]
      for (const row of rows) states.set(row.object, unpackState(row))
      if (rows.length < SLICE_STATES) return states
      after = rows.at(-1)!.object
    }
  }
}

type StateRow = StateParts & { object: number }

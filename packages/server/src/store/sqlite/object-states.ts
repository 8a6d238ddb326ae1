import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { packFix, unpackFix } from '../../domain/fix-record.ts'
import type { Dated, ObjectState } from '../../domain/object-state.ts'
import type { Database } from './database.ts'

const SLICE = 500

const COLUMNS = [
  'last_fix',
  'time_server',
  'time_last_idle',
  'time_last_move',
  'time_last_stop',
  'engine_hours',
  'engine_hours_at',
  'odometer',
  'odometer_at',
  'mileage',
  'mileage_at',
  'address',
  'address_at',
]

/** What an append reads and writes of objects' states, inside its transaction. */
export function stateRows(writer: DatabaseSync) {
  const find = writer.prepare(`SELECT * FROM object_states WHERE organization = ? AND object = ?`)
  const save = writer.prepare(`
    INSERT INTO object_states (organization, object, ${COLUMNS.join(', ')})
    VALUES (?, ?, ${COLUMNS.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
  `)
  return {
    find(organization: number, object: number): ObjectState | null {
      const row = find.get(organization, object) as StateRow | undefined
      return row === undefined ? null : stateOf(row)
    },
    save(organization: number, object: number, state: ObjectState): void {
      save.run(organization, object, ...valuesOf(state))
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
  time_server: number | null
  time_last_idle: number | null
  time_last_move: number | null
  time_last_stop: number | null
  engine_hours: number | null
  engine_hours_at: number | null
  odometer: number | null
  odometer_at: number | null
  mileage: number | null
  mileage_at: number | null
  address: string | null
  address_at: number | null
}

function stateOf(row: StateRow): ObjectState {
  return {
    lastFix: row.last_fix === null ? null : unpackFix(row.last_fix),
    timeServer: row.time_server,
    timeLastIdle: row.time_last_idle,
    timeLastMove: row.time_last_move,
    timeLastStop: row.time_last_stop,
    engineHours: dated(row.engine_hours, row.engine_hours_at),
    odometer: dated(row.odometer, row.odometer_at),
    mileage: dated(row.mileage, row.mileage_at),
    address: dated(row.address, row.address_at),
  }
}

function dated<T>(value: T | null, at: number | null): Dated<T> | null {
  return value === null || at === null ? null : { value, at }
}

function valuesOf(state: ObjectState): SQLInputValue[] {
  const { lastFix, engineHours, odometer, mileage, address } = state
  const parts = [engineHours, odometer, mileage, address]
  return [
    lastFix === null ? null : packFix(lastFix),
    state.timeServer,
    state.timeLastIdle,
    state.timeLastMove,
    state.timeLastStop,
    ...parts.flatMap((part) => [part?.value ?? null, part?.at ?? null]),
  ]
}

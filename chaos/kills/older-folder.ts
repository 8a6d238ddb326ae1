import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { API_KEY, newSecret } from '../../packages/server/src/access/secret.ts'
import { ACCURACY_DEFAULTS } from '../../packages/server/src/domain/monitored-object.ts'
import { bareFix } from '../../packages/server/src/domain/position/fix.ts'
import { packFix } from '../../packages/server/src/domain/position/fix-record.ts'
import { firstTables } from '../../packages/server/src/store/sqlite/migrations/0001-first-tables.ts'

/** A data folder of the first version, and the data that every later version must show. */
export type OlderFolder = {
  key: string
  objects: number
  /** All positions of its first object. */
  positions: { time_device: string; latitude: number; longitude: number }[]
}

const OBJECTS = 10_000
const POSITIONS = 2_000
const START = Date.parse('2024-06-01T00:00:00Z')

/**
 * Made by the migrations themselves, as no older program is available; the third one rewrites `object_states`.
 */
export function makeOlderFolder(folder: string): OlderFolder {
  mkdirSync(folder, { mode: 0o700 })
  using database = new DatabaseSync(join(folder, 'fleetgate.db'))
  database.exec('PRAGMA journal_mode = WAL; BEGIN')
  firstTables(database)
  database.exec(`INSERT INTO organizations VALUES (1, 'Old', 'km', 'en', 'active', NULL, 1, 2)`)
  const { secret, hash, prefix, lastFour } = newSecret(API_KEY)
  database
    .prepare(`INSERT INTO api_keys VALUES (1, 1, 'old', ?, ?, ?, 1, NULL, NULL, NULL)`)
    .run(hash, prefix, lastFour)
  const fixes = Array.from({ length: POSITIONS }, (_, i) =>
    bareFix(START + i * 60_000, START + i * 60_000, 41 + i / 1000, 29),
  )
  const records = fixes.map((fix) =>
    packFix(fix, { odometer: null, mileage: null, engineHours: null }),
  )
  const position = database.prepare('INSERT INTO positions VALUES (1, 1, ?, 1, ?)')
  for (const [i, { timeDevice }] of fixes.entries()) position.run(timeDevice, records[i]!)
  const object = database.prepare(`
    INSERT INTO objects VALUES (?1, 1, 'Vehicle ' || ?1, 'device-' || ?1, NULL, NULL,
      'system', 'system', ?2, NULL, NULL, NULL, NULL, 1, 2)
  `)
  const state = database.prepare(`
    INSERT INTO object_states (organization, object, last_fix, time_server) VALUES (1, ?, ?, ?)
  `)
  const accuracy = JSON.stringify(ACCURACY_DEFAULTS)
  for (let id = 1; id <= OBJECTS; id += 1) {
    object.run(id, accuracy)
    state.run(id, records.at(-1)!, fixes.at(-1)!.timeServer)
  }
  database.exec('PRAGMA user_version = 1; COMMIT')
  return {
    key: secret,
    objects: OBJECTS,
    positions: fixes.map(({ timeDevice, latitude, longitude }) => ({
      time_device: new Date(timeDevice).toISOString(),
      latitude: Number(latitude.toFixed(7)),
      longitude,
    })),
  }
}

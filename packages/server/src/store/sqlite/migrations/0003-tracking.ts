import type { DatabaseSync } from 'node:sqlite'
import { unpackFix } from '../../../domain/position/fix-record.ts'
import { packNumbers } from '../../../domain/position/state-record.ts'

/**
 * Adds to each position its part of the fold (`fold/stored-position.ts`), and the change that hid it.
 * Older positions have no fold yet, so all are folded in the background, beginning where `refolds` says.
 */
const TABLES = `
ALTER TABLE positions ADD COLUMN track BLOB;
ALTER TABLE positions ADD COLUMN hidden INTEGER;

CREATE TABLE counter_shifts (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  from_time INTEGER NOT NULL,
  odometer INTEGER NOT NULL,
  engine_hours INTEGER NOT NULL,
  PRIMARY KEY (organization, object, from_time),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE refolds (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  from_time INTEGER NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE object_rejects (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  rejects TEXT NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

ALTER TABLE object_states RENAME TO old_states;
CREATE TABLE object_states (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  last_fix BLOB,
  numbers BLOB NOT NULL,
  address TEXT,
  address_at INTEGER,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`

export function tracking(writer: DatabaseSync): void {
  writer.exec(TABLES)
  const insert = writer.prepare('INSERT INTO object_states VALUES (?, ?, ?, ?, ?, ?)')
  for (const row of writer.prepare('SELECT * FROM old_states').all()) {
    const old = row as OldState
    const numbers = packNumbers(stateOf(old))
    insert.run(old.organization, old.object, old.last_fix, numbers, old.address, old.address_at)
  }
  writer.exec(`
    DROP TABLE old_states;
    INSERT INTO refolds SELECT organization, object, -1 FROM object_states;
  `)
}

type OldState = {
  organization: number
  object: number
  last_fix: Uint8Array | null
  time_server: number | null
  time_last_idle: number | null
  time_last_move: number | null
  time_last_stop: number | null
  engine_hours: number | null
  odometer: number | null
  mileage: number | null
  address: string | null
  address_at: number | null
}

/** The part of a fold state that is known before the positions are folded. */
function stateOf(old: OldState) {
  const fix = old.last_fix === null ? null : unpackFix(old.last_fix)
  const whole = (value: number | null, scale: number) =>
    value === null ? null : Math.round(value * scale)
  const here = fix && {
    time: fix.timeDevice,
    latitude: fix.latitude,
    longitude: fix.longitude,
  }
  return {
    timeServer: old.time_server,
    timeLastIdle: old.time_last_idle,
    timeLastMove: old.time_last_move,
    timeLastStop: old.time_last_stop,
    fold: here && {
      at: here.time,
      last: here,
      anchor: here,
      shown: here,
      suspect: null,
      motion: null,
      moved: false,
      parked: false,
      running: false,
      activeAt: old.time_last_move,
      tripFrom: old.time_last_move,
      odometer: whole(old.odometer, 1e6),
      mileage: whole(old.mileage, 1e6),
      engineHours: whole(old.engine_hours, 3_600_000),
      odometerReading: null,
      engineHoursReading: null,
    },
  }
}

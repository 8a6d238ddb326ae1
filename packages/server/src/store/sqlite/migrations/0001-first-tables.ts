import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Times are milliseconds since the epoch. AUTOINCREMENT, because the id of a deleted item must never be
 * used again. Positions have no foreign key to their object, so that an object can be deleted at once and
 * its positions in slices (`purges` lists them).
 */
const TABLES = `
CREATE TABLE deployment (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  secret BLOB NOT NULL,
  sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE changes (
  organization INTEGER NOT NULL,
  topic TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (organization, topic)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_sequence ON changes (sequence);

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  distance_unit TEXT NOT NULL,
  language TEXT NOT NULL,
  subscription TEXT NOT NULL,
  daily_quota INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_organization ON api_keys (organization);

CREATE TABLE objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  ident TEXT NOT NULL,
  vin TEXT,
  plate_number TEXT,
  engine_hours_type TEXT NOT NULL,
  odometer_type TEXT NOT NULL,
  accuracy TEXT NOT NULL,
  engine_hours REAL,
  odometer REAL,
  mileage REAL,
  address TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (organization, id),
  UNIQUE (organization, ident)
) STRICT;

CREATE TABLE object_states (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  last_fix BLOB,
  time_server INTEGER,
  time_last_idle INTEGER,
  time_last_move INTEGER,
  time_last_stop INTEGER,
  engine_hours REAL,
  engine_hours_at INTEGER,
  odometer REAL,
  odometer_at INTEGER,
  mileage REAL,
  mileage_at INTEGER,
  address TEXT,
  address_at INTEGER,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE positions (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  time_device INTEGER NOT NULL,
  change INTEGER NOT NULL,
  fix BLOB NOT NULL,
  PRIMARY KEY (organization, object, time_device)
) STRICT, WITHOUT ROWID;

CREATE TABLE purges (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  PRIMARY KEY (organization, object)
) STRICT, WITHOUT ROWID;
CREATE INDEX purges_by_object ON purges (object);

CREATE TABLE geofences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT,
  coordinates TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX geofences_by_name ON geofences (organization, name);

CREATE TABLE routes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT,
  deviation REAL,
  points TEXT NOT NULL,
  coordinates TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX routes_by_name ON routes (organization, name);

CREATE TABLE sites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  icon TEXT,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  radius REAL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sites_by_name ON sites (organization, name);
`

export function firstTables(writer: DatabaseSync): void {
  writer.exec(TABLES)
  writer.prepare('INSERT INTO deployment VALUES (1, ?, 0)').run(randomBytes(32))
}

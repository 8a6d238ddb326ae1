import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { newEpoch } from '../change-log.ts'

/**
 * The tables of a data folder. Times are milliseconds since the epoch. AUTOINCREMENT, because the id of a deleted item
 * must never be used again.
 */

/** `epoch` is the epoch of the numbers in the change log. */
const DEPLOYMENT = `
CREATE TABLE deployment (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  secret BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  epoch TEXT NOT NULL
) STRICT;
`

/**
 * Triggers count objects, places and vertices: counting a million objects would hold the event loop for 130 ms. `scope`
 * of a key is JSON, and NULL if the key opens everything. `scenario` is NULL if it opens its organization. `new_objects`
 * has how many objects each feed token made in a second, `refused_idents` the idents that no object has.
 */
const ORGANIZATIONS = `
CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  distance_unit TEXT NOT NULL,
  language TEXT NOT NULL,
  subscription TEXT NOT NULL,
  daily_quota INTEGER,
  create_objects INTEGER NOT NULL,
  max_objects INTEGER NOT NULL,
  max_places INTEGER NOT NULL,
  max_vertices INTEGER NOT NULL,
  retention_days INTEGER,
  signal_timeout_hours INTEGER NOT NULL,
  time_zone TEXT NOT NULL,
  object_count INTEGER NOT NULL DEFAULT 0,
  place_count INTEGER NOT NULL DEFAULT 0,
  vertex_count INTEGER NOT NULL DEFAULT 0,
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
  last_used_at INTEGER,
  scope TEXT,
  scenario TEXT
) STRICT;
CREATE INDEX api_keys_by_organization ON api_keys (organization);

CREATE TABLE feed_tokens (
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
CREATE INDEX feed_tokens_by_organization ON feed_tokens (organization);

CREATE TABLE new_objects (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  feed_token INTEGER NOT NULL,
  second INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (organization, feed_token, second)
) STRICT, WITHOUT ROWID;

CREATE TABLE refused_idents (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  ident TEXT NOT NULL,
  reason TEXT NOT NULL,
  packets INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  latitude REAL,
  longitude REAL,
  PRIMARY KEY (organization, ident)
) STRICT, WITHOUT ROWID;
`

/**
 * `newest_change`: an append need not write `deployment`, because the newest change of all topics is among those that
 * `changes` notes. Only after a copy, `deployment` has a newer one. `change_log`: see `store/change-log.ts`.
 */
const CHANGES = `
CREATE TABLE changes (
  organization INTEGER NOT NULL,
  topic TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (organization, topic)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_sequence ON changes (sequence);

CREATE VIEW newest_change AS
SELECT max(sequence, coalesce((SELECT max(sequence) FROM changes), 0)) AS sequence FROM deployment;

CREATE TABLE change_log (
  organization INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY (organization, seq)
) STRICT, WITHOUT ROWID;
`

const OBJECTS = `
CREATE TABLE objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  ident TEXT NOT NULL,
  vin TEXT,
  plate_number TEXT,
  engine_hours_type TEXT NOT NULL,
  odometer_type TEXT NOT NULL,
  odometer_offset REAL NOT NULL,
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

CREATE TRIGGER object_added AFTER INSERT ON objects BEGIN
  UPDATE organizations SET object_count = object_count + 1 WHERE id = new.organization;
END;

CREATE TRIGGER object_removed AFTER DELETE ON objects BEGIN
  UPDATE organizations SET object_count = object_count - 1 WHERE id = old.organization;
END;
`

/**
 * Each position has its part of the fold (`track`, see `fold/stored-position.ts`), and the change that hid it. Positions
 * have no foreign key to their object, so that an object can be deleted at once and its positions in slices: `purges`
 * lists them. `refolds` has the objects that are folded again in the background, and where that begins.
 */
const POSITIONS = `
CREATE TABLE positions (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  time_device INTEGER NOT NULL,
  change INTEGER NOT NULL,
  fix BLOB NOT NULL,
  track BLOB NOT NULL,
  hidden INTEGER,
  PRIMARY KEY (organization, object, time_device)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE purges (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  PRIMARY KEY (organization, object)
) STRICT, WITHOUT ROWID;
CREATE INDEX purges_by_object ON purges (object);
`

const PLACES = `
CREATE TABLE geofences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT,
  coordinates TEXT NOT NULL,
  vertices INTEGER NOT NULL,
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
  vertices INTEGER NOT NULL,
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
${triggers('geofence', 'geofences')}
${triggers('route', 'routes')}
${triggers('site', 'sites')}
`

function triggers(noun: string, table: string): string {
  const isDrawn = table !== 'sites'
  const [added, removed] = isDrawn ? ['new.vertices', 'old.vertices'] : ['0', '0']
  return `
CREATE TRIGGER ${noun}_added AFTER INSERT ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count + 1, vertex_count = vertex_count + ${added}
  WHERE id = new.organization;
END;

CREATE TRIGGER ${noun}_removed AFTER DELETE ON ${table} BEGIN
  UPDATE organizations SET place_count = place_count - 1, vertex_count = vertex_count - ${removed}
  WHERE id = old.organization;
END;
${
  isDrawn
    ? `
CREATE TRIGGER ${noun}_redrawn AFTER UPDATE OF vertices ON ${table} BEGIN
  UPDATE organizations SET vertex_count = vertex_count + ${added} - ${removed}
  WHERE id = new.organization;
END;`
    : ''
}`
}

/**
 * Trips, stops and visits (`store/record-store.ts`), and how far they are derived. The kinds are those of `STORED_KIND`;
 * `place` is 0 without a place. `failed_at` and `error` of a task are NULL if it was not tried, or was not finished.
 */
const RECORDS = `
CREATE TABLE records (
  organization INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  object INTEGER NOT NULL,
  start_time INTEGER NOT NULL,
  place INTEGER NOT NULL,
  id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  end_time INTEGER,
  duration INTEGER NOT NULL,
  fields BLOB NOT NULL,
  checkpoint BLOB,
  PRIMARY KEY (organization, kind, object, start_time, place)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX records_by_id ON records (organization, id);
CREATE INDEX records_by_place ON records (organization, kind, place, object, start_time)
  WHERE place > 0;
CREATE INDEX open_records ON records (organization, object) WHERE end_time IS NULL;

CREATE TABLE record_progress (
  organization INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  last_id INTEGER NOT NULL
) STRICT;

CREATE TABLE record_leases (
  organization INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;

CREATE TABLE record_tails (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  progress BLOB NOT NULL,
  longest_visit INTEGER NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE record_tasks (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id INTEGER NOT NULL,
  after INTEGER NOT NULL,
  failed_at INTEGER,
  error TEXT,
  PRIMARY KEY (organization, kind, id)
) STRICT, WITHOUT ROWID;
`

/** Computed days of objects (`store/coverage-store.ts`), and the counts of their rejected packets. */
const COVERAGE = `
CREATE TABLE coverage_states (
  organization INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  form TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT;

CREATE TABLE coverage_days (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  day INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  content TEXT NOT NULL,
  is_outdated INTEGER NOT NULL,
  changed_at INTEGER,
  PRIMARY KEY (organization, object, day),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE reject_counts (
  organization INTEGER NOT NULL,
  object INTEGER NOT NULL,
  day INTEGER NOT NULL,
  reason TEXT NOT NULL,
  packets INTEGER NOT NULL,
  PRIMARY KEY (organization, object, day, reason),
  FOREIGN KEY (organization, object) REFERENCES objects (organization, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`

/** Endpoints that get the changes of an organization, the deliveries to them, and who delivers. */
const WEBHOOKS = `
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  url TEXT NOT NULL,
  types TEXT,
  ids TEXT,
  starts_from TEXT NOT NULL,
  secret BLOB NOT NULL,
  old_secret BLOB,
  old_secret_until INTEGER,
  off_at INTEGER,
  off_reason TEXT,
  restarts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_organization ON webhooks (organization);

CREATE TABLE webhook_deliveries (
  organization INTEGER NOT NULL,
  webhook INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  cursor TEXT,
  entries INTEGER NOT NULL,
  body BLOB,
  tries INTEGER NOT NULL DEFAULT 0,
  tried_at INTEGER,
  status INTEGER,
  failure TEXT,
  duration_ms INTEGER,
  delivered_at INTEGER,
  failing_since INTEGER,
  next_try_at INTEGER,
  is_wanted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (webhook, number)
) STRICT;

CREATE TABLE webhook_leases (
  organization INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;
`

/**
 * The operator of the deployment, and the attempts at the password by origin. The password's row exists before the
 * password does. `scope` of a token is how far it reaches, `issuer` the token that issued it.
 */
const OPERATOR = `
CREATE TABLE operator_password (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hash TEXT
) STRICT;
INSERT INTO operator_password VALUES (1, NULL);

CREATE TABLE operator_credentials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  password TEXT,
  scope TEXT NOT NULL,
  organization INTEGER,
  issuer INTEGER REFERENCES operator_credentials ON DELETE CASCADE
) STRICT;

CREATE TABLE sign_in_attempts (
  origin TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  at INTEGER NOT NULL,
  signed_in_at INTEGER
) STRICT, WITHOUT ROWID;
`

/**
 * The audit log, the use of the API, and the rows of each object in the answers to each key (`disclosures`). The subject
 * of an audit entry may be deleted.
 */
const ACCOUNTS = `
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  organization INTEGER,
  target INTEGER,
  name TEXT,
  changes TEXT
) STRICT;
CREATE INDEX audit_log_by_organization ON audit_log (organization, id);

CREATE TABLE usage (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day INTEGER NOT NULL,
  key INTEGER NOT NULL,
  operation TEXT NOT NULL,
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (organization, day, key, operation, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE disclosures (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day INTEGER NOT NULL,
  key INTEGER NOT NULL,
  object INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (organization, day, key, object)
) STRICT, WITHOUT ROWID;
`

/** The first migration: makes the tables of an empty database. */
export function schema(writer: DatabaseSync): void {
  for (const tables of [
    ...[DEPLOYMENT, ORGANIZATIONS, CHANGES, OBJECTS, POSITIONS, PLACES],
    ...[RECORDS, COVERAGE, WEBHOOKS, OPERATOR, ACCOUNTS],
  ]) {
    writer.exec(tables)
  }
  writer.prepare('INSERT INTO deployment VALUES (1, ?, 0, ?)').run(randomBytes(32), newEpoch())
}

import type { DatabaseSync } from 'node:sqlite'

/**
 * Trips, stops and visits (`store/record-store.ts`), and how far they are derived. The kinds are those of
 * `STORED_KIND`; `place` is 0 without a place.
 */
const TABLES = `
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
  PRIMARY KEY (organization, kind, id)
) STRICT, WITHOUT ROWID;
`

export function records(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

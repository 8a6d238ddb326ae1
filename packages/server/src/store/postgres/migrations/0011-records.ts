import type { Migration } from './migration.ts'

/**
 * Trips, stops and visits (`store/record-store.ts`), and how far they are derived. The kinds are those of
 * `STORED_KIND`; `place` is 0 without a place. Programs of earlier releases leave the records of an object
 * that they delete, which nobody finds any more.
 */
const TABLES = `
CREATE TABLE records (
  organization bigint NOT NULL,
  kind int NOT NULL,
  object bigint NOT NULL,
  start_time bigint NOT NULL,
  place bigint NOT NULL,
  id bigint NOT NULL,
  revision bigint NOT NULL,
  updated_at bigint NOT NULL,
  end_time bigint,
  duration bigint NOT NULL,
  fields bytea NOT NULL,
  checkpoint bytea,
  PRIMARY KEY (organization, kind, object, start_time, place)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX records_by_id ON records (organization, id);
CREATE INDEX records_by_place ON records (organization, kind, place, object, start_time)
  WHERE place > 0;
CREATE INDEX open_records ON records (organization, object) WHERE end_time IS NULL;

CREATE TABLE record_progress (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  last_id bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE record_leases (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  holder text NOT NULL,
  until bigint NOT NULL
);

CREATE TABLE record_tails (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  progress bytea NOT NULL,
  longest_visit bigint NOT NULL,
  PRIMARY KEY (organization, object),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE record_tasks (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL,
  id bigint NOT NULL,
  after bigint NOT NULL,
  PRIMARY KEY (organization, kind, id)
);
`

export const records: Migration = { text: TABLES, compatibleFrom: 1 }

import type { DatabaseSync } from 'node:sqlite'

/** The settings that the feed needs, and the feed tokens. */
const CHANGES = `
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

ALTER TABLE organizations ADD COLUMN create_objects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN retention_days INTEGER;
ALTER TABLE objects ADD COLUMN odometer_offset REAL NOT NULL DEFAULT 0;
`

export function feed(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

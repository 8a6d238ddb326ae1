import type { DatabaseSync } from 'node:sqlite'

/** Endpoints that get the changes of an organization, the deliveries to them, and who delivers. */
const TABLES = `
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

export function webhooks(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

import type { DatabaseSync } from 'node:sqlite'

/**
 * The operator of the deployment, the audit log, and the use of the API. The password's row exists before
 * the password does. The subject of an audit entry may be deleted.
 */
const TABLES = `
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
  password TEXT
) STRICT;

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
`

export function operator(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

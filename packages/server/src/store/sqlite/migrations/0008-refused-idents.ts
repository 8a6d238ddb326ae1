import type { DatabaseSync } from 'node:sqlite'

/** The idents that trackers send and that no object has. */
const TABLES = `
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

export function refusedIdents(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

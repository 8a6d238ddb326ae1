import type { DatabaseSync } from 'node:sqlite'

/** Counts of the rows of each object in the answers to each key. */
const TABLES = `
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

export function disclosures(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

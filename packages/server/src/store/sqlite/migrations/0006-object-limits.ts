import type { DatabaseSync } from 'node:sqlite'

/** How many objects an organization may have, and how many its feed tokens made in which second. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN max_objects INTEGER NOT NULL DEFAULT 10000;

CREATE TABLE new_objects (
  organization INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  feed_token INTEGER NOT NULL,
  second INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (organization, feed_token, second)
) STRICT, WITHOUT ROWID;
`

export function objectLimits(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

import type { DatabaseSync } from 'node:sqlite'

/**
 * How many objects an organization may have and has, and how many its feed tokens made in which second.
 * Triggers count the objects: counting a million of them would hold the event loop for 130 ms.
 */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN max_objects INTEGER NOT NULL DEFAULT 10000;
ALTER TABLE organizations ADD COLUMN object_count INTEGER NOT NULL DEFAULT 0;
UPDATE organizations SET object_count = (SELECT count(*) FROM objects WHERE organization = organizations.id);

CREATE TRIGGER object_added AFTER INSERT ON objects BEGIN
  UPDATE organizations SET object_count = object_count + 1 WHERE id = new.organization;
END;

CREATE TRIGGER object_removed AFTER DELETE ON objects BEGIN
  UPDATE organizations SET object_count = object_count - 1 WHERE id = old.organization;
END;

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

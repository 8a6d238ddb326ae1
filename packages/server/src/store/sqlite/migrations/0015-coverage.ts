import type { DatabaseSync } from 'node:sqlite'

/**
 * Computed days of objects (`store/coverage-store.ts`), and the counts of their rejected packets. Those of an existing
 * organization are complete from the next day on.
 */
const TABLES = `
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

ALTER TABLE organizations ADD COLUMN rejects_counted_from INTEGER NOT NULL DEFAULT 0;
UPDATE organizations SET rejects_counted_from = unixepoch() / 86400 + 1;
`

export function coverage(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

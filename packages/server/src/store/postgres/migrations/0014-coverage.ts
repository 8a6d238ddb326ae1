import type { Migration } from './migration.ts'

/**
 * Computed days of objects (`store/coverage-store.ts`), and the counts of their rejected packets. Those of an existing
 * organization are complete from the next day on.
 */
const TABLES = `
CREATE TABLE coverage_states (
  organization bigint PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  form text NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE coverage_days (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  day bigint NOT NULL,
  seq bigint NOT NULL,
  content text NOT NULL,
  is_outdated boolean NOT NULL,
  changed_at bigint,
  PRIMARY KEY (organization, object, day),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE reject_counts (
  organization bigint NOT NULL,
  object bigint NOT NULL,
  day bigint NOT NULL,
  reason text NOT NULL,
  packets bigint NOT NULL,
  PRIMARY KEY (organization, object, day, reason),
  FOREIGN KEY (organization, object) REFERENCES objects ON DELETE CASCADE
) WITH (fillfactor = 70);

ALTER TABLE organizations ADD COLUMN rejects_counted_from bigint NOT NULL DEFAULT 0;
UPDATE organizations SET rejects_counted_from = floor(extract(epoch FROM now()) / 86400) + 1;
`

export const coverage: Migration = { text: TABLES, compatibleFrom: 1 }

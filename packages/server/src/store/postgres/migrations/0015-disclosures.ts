import type { Migration } from './migration.ts'

/** Counts of the rows of each object in the answers to each key. Added to over and over, as `usage` is. */
const TABLES = `
CREATE TABLE disclosures (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day int NOT NULL,
  key bigint NOT NULL,
  object bigint NOT NULL,
  requests bigint NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (organization, day, key, object)
) WITH (fillfactor = 70);
`

export const disclosures: Migration = { text: TABLES, compatibleFrom: 1 }

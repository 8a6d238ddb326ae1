import type { Migration } from './migration.ts'

/** How many objects an organization may have, and how many its feed tokens made in which second. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN max_objects int NOT NULL DEFAULT 10000;

CREATE TABLE new_objects (
  organization bigint NOT NULL REFERENCES organizations ON DELETE CASCADE,
  feed_token bigint NOT NULL,
  second bigint NOT NULL,
  count int NOT NULL,
  PRIMARY KEY (organization, feed_token, second)
);
`

export const objectLimits: Migration = { text: CHANGES, compatibleFrom: 1 }

import type { Migration } from './migration.ts'

/** Attempts at the operator's password by origin. */
const TABLES = `
CREATE TABLE sign_in_attempts (
  origin text COLLATE "C" PRIMARY KEY,
  failures bigint NOT NULL,
  at bigint NOT NULL,
  signed_in_at bigint
);
`

export const signInAttempts: Migration = { text: TABLES, compatibleFrom: 1 }

import type { DatabaseSync } from 'node:sqlite'

/** Attempts at the operator's password by origin. */
const TABLES = `
CREATE TABLE sign_in_attempts (
  origin TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  at INTEGER NOT NULL,
  signed_in_at INTEGER
) STRICT, WITHOUT ROWID;
`

export function signInAttempts(writer: DatabaseSync): void {
  writer.exec(TABLES)
}

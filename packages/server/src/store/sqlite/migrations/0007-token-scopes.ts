import type { DatabaseSync } from 'node:sqlite'

/** How far each token of the operator reaches, and which token issued it. */
const COLUMNS = `
ALTER TABLE operator_credentials ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';
ALTER TABLE operator_credentials ADD COLUMN organization INTEGER;
ALTER TABLE operator_credentials
  ADD COLUMN issuer INTEGER REFERENCES operator_credentials ON DELETE CASCADE;
`

export function tokenScopes(writer: DatabaseSync): void {
  writer.exec(COLUMNS)
}

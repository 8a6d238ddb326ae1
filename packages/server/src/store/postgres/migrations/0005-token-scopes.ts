import type { Migration } from './migration.ts'

/** How far each token of the operator reaches, and which token issued it. */
const COLUMNS = `
ALTER TABLE operator_credentials ADD COLUMN scope text NOT NULL DEFAULT 'all';
ALTER TABLE operator_credentials ADD COLUMN organization bigint;
ALTER TABLE operator_credentials ADD COLUMN issuer bigint;
ALTER TABLE operator_credentials ADD CONSTRAINT operator_credentials_issuer
  FOREIGN KEY (issuer) REFERENCES operator_credentials (id) ON DELETE CASCADE;
`

export const tokenScopes: Migration = { text: COLUMNS, compatibleFrom: 1 }

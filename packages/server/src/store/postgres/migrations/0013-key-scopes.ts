import type { Migration } from './migration.ts'

/** The scopes of API keys, as JSON. NULL: the key opens everything. */
const CHANGES = `
ALTER TABLE api_keys ADD COLUMN scope text;
`

export const keyScopes: Migration = { text: CHANGES, compatibleFrom: 1 }

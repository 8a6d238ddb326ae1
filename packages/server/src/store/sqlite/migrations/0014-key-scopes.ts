import type { DatabaseSync } from 'node:sqlite'

/** The scopes of API keys, as JSON. NULL: the key opens everything. */
const CHANGES = `
ALTER TABLE api_keys ADD COLUMN scope TEXT;
`

export function keyScopes(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

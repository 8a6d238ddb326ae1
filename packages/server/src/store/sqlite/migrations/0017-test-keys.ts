import type { DatabaseSync } from 'node:sqlite'

/** The scenarios of test keys. NULL: the key opens its organization. */
const CHANGES = `
ALTER TABLE api_keys ADD COLUMN scenario TEXT;
`

export function testKeys(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

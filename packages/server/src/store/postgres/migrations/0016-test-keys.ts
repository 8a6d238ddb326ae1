import type { Migration } from './migration.ts'

/** The scenarios of test keys. NULL: the key opens its organization. */
const CHANGES = `
ALTER TABLE api_keys ADD COLUMN scenario text;
`

export const testKeys: Migration = { text: CHANGES, compatibleFrom: 1 }

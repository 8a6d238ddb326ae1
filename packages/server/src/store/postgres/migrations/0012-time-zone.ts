import type { Migration } from './migration.ts'

/** The IANA time zone of an organization's days. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
`

export const timeZone: Migration = { text: CHANGES, compatibleFrom: 1 }

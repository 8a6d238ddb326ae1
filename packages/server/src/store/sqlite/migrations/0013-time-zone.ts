import type { DatabaseSync } from 'node:sqlite'

/** The IANA time zone of an organization's days. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'UTC';
`

export function timeZone(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

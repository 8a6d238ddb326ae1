import type { DatabaseSync } from 'node:sqlite'

/** Hours without a packet after which an object of an organization has no signal. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN signal_timeout_hours INTEGER NOT NULL DEFAULT 24;
`

export function signalTimeout(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

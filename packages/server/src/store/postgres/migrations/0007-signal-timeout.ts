import type { Migration } from './migration.ts'

/** Hours without a packet after which an object of an organization has no signal. */
const CHANGES = `
ALTER TABLE organizations ADD COLUMN signal_timeout_hours int NOT NULL DEFAULT 24;
`

export const signalTimeout: Migration = { text: CHANGES, compatibleFrom: 1 }

import type { Migration } from './migration.ts'

/** `hundredths`: the counter exactly, where `count` is still its units, rounded up (`quota-counts.ts`). */
const CHANGES = `
ALTER TABLE quota_counts ADD COLUMN hundredths bigint;
`

export const quotaHundredths: Migration = { text: CHANGES, compatibleFrom: 1 }

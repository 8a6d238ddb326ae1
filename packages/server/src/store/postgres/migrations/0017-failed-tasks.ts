import type { Migration } from './migration.ts'

/** When and why a task could not be done. NULL: it was not tried, or was not finished. */
const CHANGES = `
ALTER TABLE record_tasks ADD COLUMN failed_at bigint, ADD COLUMN error text;
`

export const failedTasks: Migration = { text: CHANGES, compatibleFrom: 1 }

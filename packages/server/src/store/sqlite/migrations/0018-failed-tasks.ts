import type { DatabaseSync } from 'node:sqlite'

/** When and why a task could not be done. NULL: it was not tried, or was not finished. */
const CHANGES = `
ALTER TABLE record_tasks ADD COLUMN failed_at INTEGER;
ALTER TABLE record_tasks ADD COLUMN error TEXT;
`

export function failedTasks(writer: DatabaseSync): void {
  writer.exec(CHANGES)
}

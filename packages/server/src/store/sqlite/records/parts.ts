import type { RecordParts } from '../../tables/records.ts'
import type { Tables } from '../../tables/sql.ts'
import { overlapping } from './overlapping.ts'
import { writeRecords } from './record-writes.ts'

const DUE = `
  SELECT organization FROM record_tasks
  UNION
  SELECT organization FROM record_progress
  WHERE seq < (SELECT max(seq) FROM change_log WHERE organization = record_progress.organization)
  ORDER BY organization`

export function recordParts({ read }: Tables): RecordParts {
  return {
    overlapping,
    write: writeRecords,
    async due() {
      const rows = await read(({ all }) => all<{ organization: number }>(DUE, []))
      return rows.map(({ organization }) => organization)
    },
  }
}

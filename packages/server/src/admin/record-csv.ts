import { withoutFormulas } from '../../../client/src/pull/files/spreadsheet.ts'
import { csvLine, csvRow, csvText } from '../api/encode/formats/csv.ts'
import type { Row } from '../api/encode/formats/row-form.ts'
import { RECORD_COLUMNS } from '../api/encode/row-kinds.ts'
import type { RecordType } from '../domain/change-types.ts'

/** Rows of records as CSV for spreadsheets, which run none of its texts. */
export function recordCsv(type: RecordType): { head: string; row(row: Row): string } {
  const columns = RECORD_COLUMNS[type]
  return {
    head: csvLine(columns),
    row: (row) => csvRow(columns, row, (text) => csvText(withoutFormulas(text))),
  }
}

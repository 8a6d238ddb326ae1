import { withoutFormulas } from '../../../client/src/pull/files/spreadsheet.ts'
import type { Row } from '../api/encode/rows.ts'
import { csvLine, csvRow, csvText } from '../api/formats/csv.ts'
import type { RecordType } from '../domain/items.ts'
import { reportColumns } from '../operator/records.ts'
import { text } from '../operator/schema.ts'

export const CSV_FILE = text(
  'RFC 4180 with a header row. An apostrophe precedes a text that a spreadsheet would run.',
)

type CsvForm = { head: string; row(row: Row): string }

/** Rows as CSV for spreadsheets, which run none of its texts. */
export function spreadsheetCsv(columns: readonly string[]): CsvForm {
  return {
    head: csvLine(columns),
    row: (row) => csvRow(columns, row, (text) => csvText(withoutFormulas(text))),
  }
}

export function recordCsv(type: RecordType): CsvForm {
  return spreadsheetCsv(reportColumns(type))
}

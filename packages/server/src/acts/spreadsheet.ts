import { withoutFormulas } from '../../../client/src/pull/files/spreadsheet.ts'
import type { Row } from '../read/encode/rows.ts'
import { csvLine, csvRow, csvText, MEDIA_TYPES } from '../read/formats/formats.ts'
import { type Dated, sheetHead, sheetRow, workbookOf } from '../read/formats/xlsx.ts'
import { StreamedReply } from './act-reply.ts'
import { text } from './document-schema.ts'

/* Tables as files for spreadsheets, which run none of their texts. */

/** The kinds of files, and what they are. */
export const TABLE_FILES = {
  csv: text(
    'RFC 4180 with a header row. An apostrophe precedes a text that a spreadsheet would run.',
  ),
  xlsx: text('A workbook with a frozen header row, numbers, texts and dates.'),
}
export type TableFile = keyof typeof TABLE_FILES

export const FILE_WORDS: Readonly<Record<TableFile, string>> = {
  csv: 'a CSV file',
  xlsx: 'a workbook for spreadsheets',
}

/** `dated`: the columns with times and dates. `timeZone`: that of the times in a workbook. */
export type Table = {
  name: string
  columns: readonly string[]
  dated: Dated
  timeZone: string
  pages: AsyncIterable<readonly object[]>
}

export function tableReply(
  file: TableFile,
  { name, columns, dated, timeZone, pages }: Table,
  headers: Readonly<Record<string, string>> = {},
): StreamedReply {
  if (file === 'xlsx') {
    const lines = linesOf(sheetHead(columns, dated), pages, (row) => sheetRow(columns, row))
    const workbook = workbookOf(name, lines, timeZone)
    return fileReply(`${name}.xlsx`, MEDIA_TYPES.xlsx, workbook, headers)
  }
  const guarded = (text: string) => csvText(withoutFormulas(text))
  const lines = linesOf(csvLine(columns), pages, (row) => csvRow(columns, row, guarded))
  return fileReply(`${name}.csv`, 'text/csv; charset=utf-8', lines, headers)
}

async function* linesOf(
  head: string,
  pages: Table['pages'],
  line: (row: Row) => string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  for await (const rows of pages) yield Buffer.from(rows.map((row) => line(row as Row)).join(''))
}

export function fileReply<Value>(
  name: string,
  type: string,
  body: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): StreamedReply<Value> {
  return new StreamedReply(body, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
    ...headers,
  })
}

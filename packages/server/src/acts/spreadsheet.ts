import { withoutFormulas } from '../../../client/src/pull/files/spreadsheet.ts'
import type { Row } from '../read/encode/rows.ts'
import { csvLine, csvRow, csvText } from '../read/formats/formats.ts'
import { StreamedReply } from './reply.ts'
import { text } from './schema.ts'

export const CSV_FILE = text(
  'RFC 4180 with a header row. An apostrophe precedes a text that a spreadsheet would run.',
)

/** A CSV file for spreadsheets, which run none of its texts. */
export function csvReply(
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly object[]>,
  headers: Readonly<Record<string, string>> = {},
): StreamedReply {
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(csvLine(columns))
    const row = (each: object) =>
      csvRow(columns, each as Row, (text) => csvText(withoutFormulas(text)))
    for await (const rows of pages) yield Buffer.from(rows.map(row).join(''))
  }
  return fileReply(`${name}.csv`, 'text/csv; charset=utf-8', body(), headers)
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

import type { Cell, Kind } from './kinds.ts'
import { withoutFormulas } from './spreadsheet.ts'
import type { TextFormat } from './text-formats.ts'

const TEXTS = {
  /** For spreadsheets: a text that they would run as a formula gets an apostrophe. */
  guarded: withoutFormulas,
  /** Texts exactly as the API sends them. */
  raw: (text: string) => text,
}

/** How texts are written in CSV. Other formats keep them unchanged. */
export type CsvForm = keyof typeof TEXTS

/** RFC 4180 with a header and `\n` line ends. Null is an empty cell. */
export function csv<Row>({ columns, cells }: Kind<Row>, form: CsvForm): TextFormat<Row> {
  const textOf = TEXTS[form]

  function cell(value: Cell | undefined): string {
    // A server may leave a field out.
    if (value === null || value === undefined) return ''
    if (typeof value !== 'string') return String(value)
    const text = textOf(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  return {
    head: `${columns.map(({ name }) => name).join(',')}\n`,
    row: (row) => `${cells(row).map(cell).join(',')}\n`,
    tail: '',
  }
}

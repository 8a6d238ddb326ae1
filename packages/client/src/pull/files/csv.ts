import type { Cell, Kind } from './kinds.ts'
import { asExcelText, withoutFormulas } from './spreadsheet.ts'
import type { TextFormat } from './text-formats.ts'

const TEXTS = {
  /** For spreadsheets: a text that they would run as a formula gets an apostrophe. */
  guarded: withoutFormulas,
  /** Texts exactly as the API sends them. */
  raw: (text: string) => text,
  excel: asExcelText,
}

/** How texts are written in CSV. Other formats keep them unchanged. */
export type CsvForm = keyof typeof TEXTS

/** Excel reads UTF-8 without it as the local character set. */
const BYTE_ORDER_MARK = '\u{feff}'
/** A time as the API sends it. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** RFC 4180 with a header and `\n` line ends. Null is an empty cell. */
export function csv<Row>({ columns, cells }: Kind<Row>, form: CsvForm): TextFormat<Row> {
  const textOf = TEXTS[form]
  const isTimeColumn = columns.map(({ type }) => type === 'time')

  function cell(value: Cell | undefined, index: number): string {
    // A server may leave a field out.
    if (value === null || value === undefined) return ''
    if (typeof value !== 'string') return String(value)
    // For Excel, a time stays a time. A hostile server can send any text in its place.
    const isTime = isTimeColumn[index] && TIME.test(value)
    const text = isTime ? value : textOf(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  const mark = form === 'excel' ? BYTE_ORDER_MARK : ''
  return {
    head: `${mark}${columns.map(({ name }) => name).join(',')}\n`,
    row: (row) => `${cells(row).map(cell).join(',')}\n`,
    tail: '',
  }
}

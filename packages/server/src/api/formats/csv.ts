import { plainJson, plainNumber } from '../../domain/common/json.ts'
import {
  attributeCells,
  attributeHeadings,
  type Columns,
  namesOf,
  type PositionForm,
} from './position-form.ts'

const QUOTE = 34
const LINE_END = '\r\n'

/** RFC 4180 with a header. A null is an empty cell. */
export function csvPositions(columns: Columns): PositionForm {
  const names = namesOf(columns)
  const fields = names.map((name, index) => {
    const before = index === 0 ? '' : ','
    return { name, before, after: '', none: before }
  })
  const { attributes } = columns
  const headings = attributes === null ? [] : attributeHeadings(attributes)
  return {
    head: csvLine([...names, ...headings]),
    tail: '',
    between: '',
    ...(attributes === null
      ? { fields: [...fields, LINE_END] }
      : { fields, attributes: attributeCells(attributes, csvText, LINE_END) }),
    openObject: () => '',
    closeObject: '',
    hasUnseen: true,
    text: csvText,
    writeText: writeCsvText,
  }
}

/** A line of cells that are written already. */
export function csvLine(cells: readonly string[]): string {
  return cells.join(',') + LINE_END
}

/** An empty text has quotes, so that it is not a null. */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A row of values by their columns. Lists and objects become JSON. `text`: how texts are written. */
export function csvRow(
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
  text = csvText,
): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return plainNumber(value)
    return typeof value === 'object' ? csvText(plainJson(value)) : String(value)
  }
  return csvLine(columns.map((name) => cell(row[name])))
}

const SPECIAL = new Set(Buffer.from('",\r\n'))

function writeCsvText(
  out: Uint8Array,
  at: number,
  utf8: Uint8Array,
  from: number,
  to: number,
): number {
  let end = at
  let isSpecial = from === to
  for (let i = from; i < to; i++) isSpecial ||= SPECIAL.has(utf8[i]!)
  if (isSpecial) out[end++] = QUOTE
  for (let i = from; i < to; i++) {
    const byte = utf8[i]!
    if (byte === QUOTE) out[end++] = QUOTE
    out[end++] = byte
  }
  if (isSpecial) out[end++] = QUOTE
  return end
}

import { styleText } from 'node:util'
import { maxOf } from '../domain/common/any-number.ts'
import { plainNumber } from '../domain/common/json.ts'
import type { CommandResult } from './command.ts'
import { harmless } from './failure.ts'

export type Cell = string | number | boolean | null

/**
 * Rows under headings, with aligned columns and numbers to the right. Null is shown as `-`. Headings are
 * bold if stdout is a terminal without NO_COLOR.
 */
export function table(headings: string[], rows: Cell[][]): string {
  const texts = rows.map((row) => row.map(show))
  const widths = headings.map((heading, column) =>
    texts.reduce((widest, row) => Math.max(widest, width(row[column]!)), width(heading)),
  )
  const isNumeric = headings.map(
    (_, column) =>
      rows.some((row) => typeof row[column] === 'number') &&
      rows.every((row) => typeof row[column] !== 'string'),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - width(cell))
        return isNumeric[column] ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  return [emphasis(line(headings)), ...texts.map(line)].join('\n')
}

/** The fields of one item, one for each line. */
export function card(fields: Record<string, Cell>): string {
  const longest = maxOf(Object.keys(fields).map(width))
  return Object.entries(fields)
    .map(([name, value]) => `${emphasis(name.padEnd(longest))}  ${show(value)}`)
    .join('\n')
}

function show(cell: Cell): string {
  if (cell === null) return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return harmless(typeof cell === 'number' ? plainNumber(cell) : cell)
}

function emphasis(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

const graphemes = new Intl.Segmenter()

/** The width of a text in columns: East Asian scripts and emoji take two. */
function width(text: string): number {
  // Segmenting takes far longer, and a long table has hundreds of thousands of cells.
  if (/^[ -~]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    columns +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1
  }
  return columns
}

/** A field, or a heading with the field or the text below it. */
export type Column<Row> = Name<Row> | readonly [heading: string, Name<Row> | ((row: Row) => Cell)]
type Name<Row> = keyof Row & string

/** A list of documents: a table of some of their fields. The heading of `last_used_at` is LAST USED. */
export function listing<Row extends object>(
  json: readonly Row[],
  columns: readonly Column<Row>[],
): CommandResult {
  const parts = columns.map((column) =>
    typeof column === 'string' ? ([headingOf(column), column] as const) : column,
  )
  const cellOf = (row: Row, cell: Name<Row> | ((row: Row) => Cell)) =>
    typeof cell === 'string' ? (row[cell] as Cell) : cell(row)
  const text = table(
    parts.map(([heading]) => heading),
    json.map((row) => parts.map(([, cell]) => cellOf(row, cell))),
  )
  return { json, text }
}

function headingOf(field: string): string {
  return field.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase()
}

import type { CommandResult } from '../command.ts'
import { type Cell, table } from './table.ts'

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

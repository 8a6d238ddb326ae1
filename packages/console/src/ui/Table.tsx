import type { ReactNode } from 'react'
import './Table.css'

export type Column<Row> = {
  /** What stands above it. Of a column of buttons it is there for screen readers alone. */
  name: string
  cell: (row: Row) => ReactNode
  number?: boolean
  /** As wide as what it holds. */
  fit?: boolean
  /** Buttons. */
  actions?: boolean
}

type TableProps<Row> = {
  /** What it lists, for who does not see the heading above it. */
  label: string
  /** The first one names the row. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** Rows that no longer count, such as revoked keys. */
  isOff?: (row: Row) => boolean
  /** Of few narrow columns: it stays a table on a narrow screen. */
  stays?: boolean
}

export function Table<Row>({ label, columns, rows, rowKey, isOff, stays }: TableProps<Row>) {
  return (
    <div
      className="table-frame"
      // One that stays a table may be wider than the screen, and is scrolled by the keyboard too.
      {...(stays === true ? { role: 'group', 'aria-label': label, tabIndex: 0 } : {})}
    >
      <table className={stays === true ? 'table' : 'table table-stack'} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)}>
                {column.actions === true ? (
                  <span className="visually-hidden">{column.name}</span>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className={isOff?.(row) === true ? 'off' : undefined}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.name} scope="row">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.name}
                    className={classOf(column)}
                    data-label={column.actions === true ? undefined : column.name}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classOf<Row>({ number, fit, actions }: Column<Row>): string | undefined {
  const names = [
    number === true ? 'number' : '',
    fit === true || actions === true ? 'fit' : '',
    actions === true ? 'table-actions' : '',
  ].filter((each) => each !== '')
  return names.length === 0 ? undefined : names.join(' ')
}

import type { ReactNode } from 'react'
import { useMayChange } from '../changing.tsx'
import './Table.css'

export type Column<Row> = {
  /** The column's heading. Above a column of buttons, only screen readers get it. */
  name: string
  cell: (row: Row) => ReactNode
  number?: boolean
  /** As narrow as its content. */
  fit?: boolean
  /** It may have long words, such as addresses, which break then. */
  breaks?: boolean
  /** A column of buttons. It is shown to people who may change something. */
  actions?: boolean
  /** It has buttons that show something as well, so that everybody has them. */
  shows?: boolean
}

type TableProps<Row> = {
  /** The table's name, for screen readers. */
  label: string
  /** The first column names the row. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** Marks rows that are no longer valid, such as revoked keys. */
  isOff?: (row: Row) => boolean
  /** A table with few narrow columns stays a table on a narrow screen. */
  stays?: boolean
}

export function Table<Row>({ label, columns: all, rows, rowKey, isOff, stays }: TableProps<Row>) {
  const mayChange = useMayChange()
  const columns = all.filter(
    ({ actions, shows }) => actions !== true || shows === true || mayChange,
  )
  return (
    <div
      className="table-frame"
      // A table wider than the screen scrolls, with the keyboard too.
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

function classOf<Row>({ number, fit, breaks, actions }: Column<Row>): string | undefined {
  const names = [
    number === true ? 'number' : '',
    fit === true || actions === true ? 'fit' : '',
    breaks === true ? 'breaks' : '',
    actions === true ? 'table-actions' : '',
  ].filter((each) => each !== '')
  return names.length === 0 ? undefined : names.join(' ')
}

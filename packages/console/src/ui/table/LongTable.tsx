import { type ReactNode, useRef } from 'react'
import { Icon } from '../Icon.tsx'
import './Table.css'
import './LongTable.css'
import { useWindow } from '../window.ts'

/** As the style sheet has it: rows are all alike, so that their place is known without measuring. */
const ROW_HEIGHT = 42
/** A table with fewer rows is as high as they are. */
const MANY_ROWS = 12

export type LongColumn<Row, Key> = {
  by: Key
  name: string
  number?: boolean
  cell: (row: Row) => ReactNode
}

export type Sorting<Key> = { by: Key; descending: boolean }

type LongTableProps<Row, Key> = {
  /** The table's name, for screen readers. */
  label: string
  /** The first column names the row. */
  columns: readonly LongColumn<Row, Key>[]
  rows: readonly Row[]
  rowKey: (row: Row) => number
  sorting: Sorting<Key>
  onSort: (sorting: Sorting<Key>) => void
}

/** A sorted table of tens of thousands of rows: only those in sight are in the page. */
export function LongTable<Row, Key extends string>(props: LongTableProps<Row, Key>) {
  const { label, columns, rows, rowKey, sorting, onSort } = props
  const frame = useRef<HTMLElement>(null)
  const { from, to } = useWindow(frame, rows.length, ROW_HEIGHT)
  return (
    <section
      ref={frame}
      className={rows.length < MANY_ROWS ? 'long-frame few' : 'long-frame'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
      tabIndex={0}
    >
      <table className="table long" aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.by} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={from} columns={columns.length} />
          {rows.slice(from, to).map((row, index) => (
            <tr key={rowKey(row)} aria-rowindex={from + index + 2}>
              {columns.map(({ by, number, cell }, column) =>
                column === 0 ? (
                  <th key={by} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={by} className={number === true ? 'number' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
          <Gap rows={rows.length - to} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}

type HeadingProps<Row, Key> = Pick<LongTableProps<Row, Key>, 'sorting' | 'onSort'> & {
  column: LongColumn<Row, Key>
}

function Heading<Row, Key extends string>(props: HeadingProps<Row, Key>) {
  const { column, sorting, onSort } = props
  const { by, name, number } = column
  const current = sorting.by === by
  const direction = sorting.descending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      className={number === true ? 'number' : undefined}
      aria-sort={current ? direction : undefined}
    >
      <button
        type="button"
        className="sort"
        onClick={() => onSort({ by, descending: current && !sorting.descending })}
      >
        {name}
        <Icon name={current && sorting.descending ? 'down' : 'up'} size={12} />
      </button>
    </th>
  )
}

/** The room of the rows that are not in the page. */
function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: rows * ROW_HEIGHT }} />
    </tr>
  )
}
